import AppStore
import JSON

/// Judges a body of Send Consumption Information, version 2, from its bytes, by Apple's documented rules alone. It reads
/// the JSON itself and shares no code with the sender, whose mistakes it is there to find.
/// Source: App Store Server API, «ConsumptionRequest» and «consumptionPercentage».
enum ConsumptionJudge {
  enum Verdict: Equatable {
    /// Apple takes it. The remarks say what is probably not meant.
    case accepted(remarks: [String])
    case refused(StoreError)
  }

  private static let deliveryStatuses: Set = [
    "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
    "UNDELIVERED_OTHER",
  ]
  private static let preferences: Set = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]
  private static let members: Set = [
    "customerConsented", "sampleContentProvided", "deliveryStatus", "consumptionPercentage", "refundPreference",
  ]

  /// The body must be a JSON object; everything else about it depends on the purchase.
  static func body(_ bytes: [UInt8]) -> JSONView? {
    guard let document = try? JSONDocument(bytes: bytes), document.root.kind == .object else { return nil }
    return document.root
  }

  /// In which order Apple names several faults is not documented; here it is the order of its page. A member that is
  /// null counts as absent.
  static func judge(_ body: JSONView, of purchase: Purchase) -> Verdict {
    if purchase.isFamilyShared { return .refused(.familyTransactionNotSupported) }
    if purchase.isAssigned { return .refused(.assignedTransactionNotSupported) }
    if purchase.isAdvancedCommerce { return .refused(.advancedCommerceNotSupported) }
    guard body["customerConsented"]?.bool == true else { return .refused(.invalidCustomerConsented) }
    guard body["sampleContentProvided"]?.bool != nil else { return .refused(.invalidSampleContentProvided) }
    guard let status = body["deliveryStatus"]?.string, deliveryStatuses.contains(status) else {
      return .refused(.invalidDeliveryStatus)
    }
    let preference = present(body["refundPreference"])
    if let preference, !preferences.contains(preference.string ?? "") { return .refused(.invalidRefundPreference) }
    let percentage = present(body["consumptionPercentage"])
    if let percentage {
      // Even 0 is refused for a subscription.
      if purchase.isAutoRenewable { return .refused(.percentageForAutoRenewable) }
      guard let share = percentage.int64, (0...100_000).contains(share) else {
        return .refused(.percentageOutOfRange)
      }
      if status != "DELIVERED", share > 0 { return .refused(.percentageOfUndelivered) }
    }
    return .accepted(
      remarks: remarks(body, share: percentage?.int64, preference: preference?.string, purchase: purchase))
  }

  private static func remarks(
    _ body: JSONView, share: Int64?, preference: String?, purchase: Purchase
  ) -> [String] {
    var remarks: [String] = []
    if let share, (1...100).contains(share) {
      remarks.append("consumptionPercentage \(share) means \(thousandths(share)) %; \(share) % is \(share * 1000)")
    }
    if preference == "GRANT_PRORATED", !purchase.isAutoRenewable, !(1...99_999).contains(share ?? 0) {
      remarks.append("Apple's page asks for a consumptionPercentage above 0 and below 100000 with GRANT_PRORATED")
    }
    for (key, _) in body.members ?? [] where !members.contains(key) {
      remarks.append("\(key.prefix(60)) is no member of version 2 and is not looked at")
    }
    return remarks
  }

  private static func thousandths(_ share: Int64) -> String {
    let digits = String(share)
    return "0." + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  private static func present(_ view: JSONView?) -> JSONView? { view?.isNull == true ? nil : view }
}

import AppStore
import JSON

/// Judges a body of Send Consumption Information, version 1, by Apple's documented rules alone; like `ConsumptionJudge` it
/// shares no code with the sender.
/// Source: App Store Server API, «ConsumptionRequestV1» and the pages of its members.
enum ConsumptionJudgeV1 {
  /// Numbers that each member may have, and the error for any other; a required member that is absent gets it too.
  private static let tables: [(member: String, range: ClosedRange<Int64>, error: StoreError)] = [
    ("consumptionStatus", 0...3, .invalidConsumptionStatus), ("platform", 0...2, .invalidPlatform),
    ("deliveryStatus", 0...5, .invalidDeliveryStatus), ("accountTenure", 0...7, .invalidAccountTenure),
    ("playTime", 0...7, .invalidPlayTime), ("lifetimeDollarsRefunded", 0...7, .invalidLifetimeDollarsRefunded),
    ("lifetimeDollarsPurchased", 0...7, .invalidLifetimeDollarsPurchased), ("userStatus", 0...4, .invalidUserStatus),
  ]
  private static let others = ["customerConsented", "sampleContentProvided", "appAccountToken", "refundPreference"]

  /// In which order Apple names several faults is not documented.
  static func judge(_ body: JSONView, of purchase: Purchase) -> ConsumptionJudge.Verdict {
    if purchase.isAssigned { return .refused(.assignedTransactionNotSupported) }
    // The page of version 1 names no error for a purchase shared in a family; whose id it is then was not asked about.
    guard purchase.isConsumable || purchase.isAutoRenewable, !purchase.isFamilyShared else {
      return .refused(.transactionTypeNotSupported)
    }
    guard purchase.isAdvancedCommerce else { return .refused(.ordinaryPurchase) }
    guard body["customerConsented"]?.bool == true else { return .refused(.invalidCustomerConsented) }
    guard body["sampleContentProvided"]?.bool != nil else { return .refused(.invalidSampleContentProvided) }
    guard let token = body["appAccountToken"]?.string, token.isEmpty || isUUID(token) else {
      return .refused(.invalidAppAccountToken)
    }
    for (member, range, error) in tables {
      guard let number = body[member]?.int64, range.contains(number) else { return .refused(error) }
    }
    if let preference = body["refundPreference"], !preference.isNull {
      guard let number = preference.int64, (0...3).contains(number) else { return .refused(.invalidRefundPreference) }
    }
    return .accepted(remarks: remarks(body, token, purchase))
  }

  private static func remarks(_ body: JSONView, _ token: String, _ purchase: Purchase) -> [String] {
    var remarks: [String] = []
    if let own = purchase.members["appAccountToken"]?.string, !token.isEmpty, token.lowercased() != own.lowercased() {
      remarks.append("appAccountToken is not the purchase's own")
    }
    for (key, _) in body.members ?? [] where !others.contains(key) && !tables.contains(where: { $0.member == key }) {
      remarks.append("\(key.prefix(60)) is no member of version 1 and is not looked at")
    }
    return remarks
  }

  /// Eight, four, four, four and twelve hexadecimal digits.
  static func isUUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
  }
}

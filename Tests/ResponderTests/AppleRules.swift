import JSON

/// What Apple's pages say of a version 2 body, written down once more and apart from the code that makes it.
/// Source: App Store Server API, «Send Consumption Information», ConsumptionRequest and the pages of its members.
enum AppleRules {
  private static let members: Set = [
    "customerConsented", "sampleContentProvided", "deliveryStatus", "consumptionPercentage", "refundPreference",
  ]
  private static let undelivered: Set = [
    "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
  ]

  /// Everything Apple would refuse; empty where it takes the body.
  static func objections(to body: String, productType: String) throws -> [String] {
    let object = try JSONValue(bytes: Array(body.utf8)).object ?? JSONObject()
    var objections: [String] = []
    for key in object.keys where !members.contains(key) { objections.append("\(key) is no member") }
    if object["customerConsented"] != .bool(true) { objections.append("customerConsented is not true") }
    if object["sampleContentProvided"]?.bool == nil { objections.append("sampleContentProvided is no flag") }
    let delivery = object["deliveryStatus"]?.string
    let isDelivered = delivery == "DELIVERED"
    if !isDelivered, !undelivered.contains(delivery ?? "") { objections.append("deliveryStatus is no word of Apple's") }
    if let percentage = object["consumptionPercentage"] {
      guard let share = percentage.int64, (0...100_000).contains(share) else {
        return objections + ["consumptionPercentage is out of range"]
      }
      if productType == "Auto-Renewable Subscription" { objections.append("a subscription has no percentage") }
      if !isDelivered, share > 0 { objections.append("what was not delivered is not used") }
    }
    if let preference = object["refundPreference"]?.string {
      if !["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains(preference) {
        objections.append("no preference of Apple's")
      }
      let share = object["consumptionPercentage"]?.int64 ?? 0
      if preference == "GRANT_PRORATED", productType != "Auto-Renewable Subscription", !(1...99_999).contains(share) {
        objections.append("a prorated refund needs a share")
      }
    }
    return objections
  }
}

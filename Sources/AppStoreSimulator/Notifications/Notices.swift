import AppStore
import JSON

/// The decoded payloads of the refund story, inner objects unsigned.
/// Source: App Store Server Notifications, «responseBodyV2DecodedPayload» and «data».
enum Notices {
  /// Apple asks for facts.
  /// - Parameter reason: nil leaves the member out, as Apple does at times.
  static func consumptionRequest(_ purchase: Purchase, reason: String?) -> JSONObject {
    var data = data(of: purchase)
    data["consumptionRequestReason"] = reason.map(JSONValue.string)
    return ["notificationType": .string(NotificationType.consumptionRequest.rawValue), "data": .object(data)]
  }

  /// Apple has decided; the purchase is as it was after the decision.
  static func decision(_ type: NotificationType, _ purchase: Purchase) -> JSONObject {
    ["notificationType": .string(type.rawValue), "data": .object(data(of: purchase))]
  }

  private static func data(of purchase: Purchase) -> JSONObject {
    var data: JSONObject = ["bundleVersion": "1", "signedTransactionInfo": .object(purchase.members)]
    // The notification is about the same app and server as the purchase.
    data["bundleId"] = purchase.members["bundleId"]
    data["environment"] = purchase.members["environment"]
    if purchase.isAutoRenewable {
      data["signedRenewalInfo"] = .object(renewalInfo(of: purchase))
      // Active: what is asked about may be an older period of a running subscription.
      data["status"] = 1
    }
    return data
  }

  /// Apple turns renewal off after a refund was asked for inside the app.
  private static func renewalInfo(of purchase: Purchase) -> JSONObject {
    var info: JSONObject = ["autoRenewStatus": 0]
    for key in [
      "originalTransactionId", "productId", "environment", "currency", "appAccountToken", "appTransactionId",
    ] {
      info[key] = purchase.members[key]
    }
    info["autoRenewProductId"] = purchase.members["productId"]
    info["recentSubscriptionStartDate"] = purchase.members["originalPurchaseDate"]
    info["renewalDate"] = purchase.members["expiresDate"]
    return info
  }
}

import AppStore
import JSON

/// Decoded payloads of notifications, inner objects unsigned.
/// Source: App Store Server Notifications, «responseBodyV2DecodedPayload» and the pages of its members.
enum Notices {
  /// Apple asks for facts.
  /// - Parameter reason: nil leaves the member out, as Apple does at times.
  static func consumptionRequest(_ purchase: Purchase, reason: String?, in book: Book) -> JSONObject {
    var payload = about(purchase, .consumptionRequest, in: book)
    guard var data = payload["data"]?.object else { return payload }
    data["consumptionRequestReason"] = reason.map(JSONValue.string)
    payload["data"] = .object(data)
    return payload
  }

  /// Apple has decided; the purchase is as it was after the decision.
  static func decision(_ decision: Decision, _ purchase: Purchase, in book: Book) -> JSONObject {
    about(purchase, decision.notificationType, decision.subtype, in: book)
  }

  /// Whatever is about a purchase, in the member `data`; of a subscription the renewal info and the status as of now.
  static func about(
    _ purchase: Purchase, _ type: NotificationType, _ subtype: Subtype? = nil, in book: Book
  ) -> JSONObject {
    var data: JSONObject = ["bundleVersion": "1", "signedTransactionInfo": .object(purchase.members)]
    // The notification is about the same app and server as the purchase.
    data["bundleId"] = purchase.members["bundleId"]
    data["appAppleId"] = purchase.appAppleId.map { .number(JSONNumber($0)) }
    data["environment"] = purchase.members["environment"]
    if purchase.isAutoRenewable {
      // What is asked about may be an older period of a subscription that runs on.
      let subscription = book.subscription(of: purchase)
      data["signedRenewalInfo"] = .object(subscription.renewalInfo(book.latest(of: purchase)))
      data["status"] = .number(JSONNumber(subscription.status.rawValue))
    }
    return whole(type, subtype, "data", data)
  }

  /// Whatever has its content in a member of its own.
  static func whole(
    _ type: NotificationType, _ subtype: Subtype?, _ member: String, _ content: JSONObject
  ) -> JSONObject {
    var payload: JSONObject = ["notificationType": .string(type.rawValue)]
    payload["subtype"] = subtype.map { .string($0.rawValue) }
    payload[member] = .object(content)
    return payload
  }
}

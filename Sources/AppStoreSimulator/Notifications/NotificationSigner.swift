import AppStore
import Cryptography
import JSON

/// Turns a decoded payload into the body that Apple posts: inner objects signed first, then the whole.
struct NotificationSigner: Sendable {
  let signing: SigningIdentity
  /// Filled in where a payload names none.
  let app: StoreApp

  /// A notification ready to be posted.
  struct Signed: Sendable {
    /// `{"signedPayload":"…"}`
    var body: [UInt8]
    /// The text in it.
    var token: [UInt8]
    /// The payload that was signed, inner tokens as texts.
    var payload: JSONObject
    /// Of the transaction inside; nil where there is none.
    var transactionId: String?
    /// The bundle id that the payload tells, wherever it does.
    var app: String?
    /// Decides how often it is tried.
    var environment: ServerEnvironment
  }

  /// Signs. Absent members that every notification has are filled in; one that is null is left out, and then is not filled
  /// in either. A token that is a text already is left as it is.
  /// - Parameter now: `signedDate` where none is given, milliseconds since 1970 UTC.
  func sign(_ given: JSONObject, now: Int64) -> Signed {
    let instant = JSONValue.number(JSONNumber(now))
    var payload = given
    payload.fill("notificationUUID", .string(SecureRandom.uuid()))
    payload.fill("version", "2.0")
    payload.fill("signedDate", instant)
    var transactionId: String?
    for key in ["data", "appData"] {
      guard var data = payload[key]?.object else { continue }
      data.fill("bundleId", .string(app.bundleId))
      // Another app has another number.
      if data["bundleId"]?.string == app.bundleId {
        data.fill("appAppleId", app.appAppleId.map { .number(JSONNumber($0)) })
      }
      data.fill("environment", .string(app.environment.rawValue))
      transactionId = transactionId ?? data["signedTransactionInfo"]?["transactionId"]?.string
      for (slot, date) in Self.slots {
        guard var inner = data[slot]?.object else { continue }
        inner.fill(date, payload["signedDate"]?.isNull == false ? payload["signedDate"] : instant)
        inner.dropNulls()
        data[slot] = token(inner)
      }
      data.dropNulls()
      payload[key] = .object(data)
    }
    payload.dropNulls()
    let token = signing.sign(JSONValue.object(payload).bytes())
    let body: JSONValue = ["signedPayload": .string(String(decoding: token, as: UTF8.self))]
    return Signed(
      body: body.bytes(), token: token, payload: payload, transactionId: transactionId, app: Self.app(of: payload),
      environment: Self.environment(of: payload) ?? app.environment)
  }

  /// A transaction that stands alone, signed now.
  func transaction(_ members: JSONObject, now: Int64) -> String {
    var payload = members
    payload["signedDate"] = .number(JSONNumber(now))
    payload.dropNulls()
    return String(decoding: signing.sign(JSONValue.object(payload).bytes()), as: UTF8.self)
  }

  /// Where an inner object stands, and the member that tells when it was signed.
  private static let slots = [
    ("signedTransactionInfo", "signedDate"), ("signedRenewalInfo", "signedDate"),
    ("signedAppTransactionInfo", "receiptCreationDate"),
  ]

  /// Wherever a payload tells it.
  private static func environment(of payload: JSONObject) -> ServerEnvironment? {
    if let id = payload["externalPurchaseToken"]?["externalPurchaseId"]?.string {
      return id.hasPrefix("SANDBOX") ? .sandbox : .production
    }
    return ["data", "summary", "appData", "unclaimInfo"].lazy.compactMap { payload[$0]?["environment"]?.string }
      .first.flatMap(ServerEnvironment.init(rawValue:))
  }

  private static func app(of payload: JSONObject) -> String? {
    ["data", "summary", "appData", "unclaimInfo", "externalPurchaseToken"].lazy
      .compactMap { payload[$0]?["bundleId"]?.string }.first
  }

  private func token(_ payload: JSONObject) -> JSONValue {
    .string(String(decoding: signing.sign(JSONValue.object(payload).bytes()), as: UTF8.self))
  }
}

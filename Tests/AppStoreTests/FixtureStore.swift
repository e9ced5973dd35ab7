import AppStore
import Cryptography
import JSON

/// An authority of its own and what it signs, for cases that no vector holds.
struct FixtureStore {
  static let start: Int64 = 1_700_000_000_000
  static let end: Int64 = 1_900_000_000_000
  static let now: Int64 = 1_796_000_000_000

  let authority = StandInAuthority(notBefore: start, notAfter: end)
  let signing: SigningIdentity
  let anchor: TrustAnchor

  init() {
    signing = authority.leaf(notBefore: Self.start, notAfter: Self.end)
    anchor = try! TrustAnchor(file: authority.root.der, source: "fixture")
  }

  func verifier(
    judgedAt: JudgedAt = .signedDate, clock: (@Sendable () -> Int64)? = nil,
    limits: VerificationLimits = VerificationLimits()
  ) -> SignedDataVerifier {
    SignedDataVerifier(anchors: [anchor], judgedAt: judgedAt, clock: clock, limits: limits)
  }

  func sign(_ payload: JSONValue, by signing: SigningIdentity? = nil) -> [UInt8] {
    (signing ?? self.signing).sign(payload.bytes())
  }

  static func transaction(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
    var object: JSONObject = [
      "transactionId": "2000000000000001", "bundleId": "com.example.app", "productId": "gems", "type": "Consumable",
      "environment": "Sandbox", "inAppOwnershipType": "PURCHASED", "signedDate": .number(JSONNumber(now)),
    ]
    change(&object)
    return .object(object)
  }

  func notification(
    type: String = "REFUND", signedDate: Int64 = now, transaction: JSONValue? = transaction(),
    change: (inout JSONObject, inout JSONObject) -> Void = { _, _ in }
  ) -> JSONValue {
    var data: JSONObject = ["bundleId": "com.example.app", "environment": "Sandbox"]
    if let transaction {
      data["signedTransactionInfo"] = .string(String(decoding: sign(transaction), as: UTF8.self))
    }
    var payload: JSONObject = [
      "notificationType": .string(type), "notificationUUID": "5A000000-0000-4000-8000-00000000000A", "version": "2.0",
      "signedDate": .number(JSONNumber(signedDate)),
    ]
    change(&payload, &data)
    if !data.isEmpty { payload["data"] = .object(data) }
    return .object(payload)
  }

  /// The code with which verification ends; nil when it does not fail.
  func failure(of token: [UInt8], verifier: SignedDataVerifier? = nil) -> VerificationError? {
    do {
      _ = try (verifier ?? self.verifier()).verifyNotification(token[...])
      return nil
    } catch {
      return error
    }
  }
}

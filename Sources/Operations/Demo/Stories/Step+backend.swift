import Cryptography
import HTTPTypes
import JSON

/// What the app's back end tells the responder.
extension Step {
  private static let consentText = "We may tell Apple how much of a purchase was used when you ask for a refund."

  /// The customer agreed.
  static func consent(
    _ words: String = "The app's back end tells that this customer agreed to sharing such facts with Apple."
  ) -> Step {
    Step { (scene) throws(CommandError) in
      let now = scene.stage.clock.now
      try scene.stage.backend(
        .put, "/v1/consents",
        [
          "bundleId": .string(scene.purchase.bundleID), "account": .string(scene.purchase.account), "granted": true,
          "textVersion": "2026-01", "textDigest": .string(SHA256.digest(of: consentText.utf8).hex), "channel": "app",
          "statedAt": .number(JSONNumber(now)),
        ])
      scene.tell(words, at: now)
    }
  }

  /// What is known of the purchase.
  /// - Parameter values: in the words of the API.
  static func evidence(_ words: String, _ values: JSONObject) -> Step {
    Step { (scene) throws(CommandError) in
      let now = scene.stage.clock.now
      try scene.stage.backend(
        .put, "/v1/evidence/\(scene.purchase.key)",
        [
          "bundleId": .string(scene.purchase.bundleID), "statedAt": .number(JSONNumber(now)), "values": .object(values),
        ])
      scene.tell("The back end tells what it knows: \(words).", at: now)
    }
  }
}

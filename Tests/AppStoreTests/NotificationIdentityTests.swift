import AppStore
import JSON
import Testing

@Suite("A notification's identity") struct NotificationIdentityTests {
  let store = FixtureStore()

  private func identity(_ parts: JSONObject) throws -> NotificationIdentity {
    let payload = store.notification(type: "SOMETHING", transaction: nil) { payload, data in
      data = [:]
      for part in parts.members { payload[part.key] = part.value }
    }
    return try store.verifier().verifyNotification(store.sign(payload)[...]).identity
  }

  @Test("is told by whichever object there is") func objects() throws {
    let told = NotificationIdentity(bundleId: "a", appAppleId: 1, environment: .production)
    let object: JSONValue = ["bundleId": "a", "appAppleId": 1, "environment": "Production"]
    for name in ["data", "summary", "appData", "unclaimInfo", "somethingNew"] {
      #expect(try identity([name: object]) == told)
    }
    #expect(try identity([:]) == NotificationIdentity(bundleId: nil, environment: nil))
    #expect(try identity(["unclaimInfo": ["unclaimSeatIds": []], "data": object]) == told)
  }

  @Test(
    "of an external purchase token is told by the beginning of its id",
    arguments: [("SANDBOX_1", Environment.sandbox), ("sandbox_1", .production), ("b2158121", .production)])
  func externalPurchase(id: String, environment: Environment) throws {
    let token: JSONValue = [
      "externalPurchaseId": .string(id), "tokenCreationDate": 1, "appAppleId": 5, "bundleId": "a",
    ]
    #expect(
      try identity(["externalPurchaseToken": token])
        == NotificationIdentity(bundleId: "a", appAppleId: 5, environment: environment))
  }
}

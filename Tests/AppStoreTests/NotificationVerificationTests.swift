import AppStore
import Cryptography
import JSON
import Testing

@Suite("A notification") struct NotificationVerificationTests {
  let store = FixtureStore()

  private func code(_ payload: JSONValue) -> VerificationRefusal.Code? { store.failure(of: store.sign(payload))?.code }

  private func isUnusable(_ payload: JSONValue) -> Bool {
    if case .genuineButUnusable = store.failure(of: store.sign(payload)) { true } else { false }
  }

  @Test("that is whole verifies, its UUID in lower case") func whole() throws {
    let found = try store.verifier().verifyNotification(store.sign(store.notification())[...])
    #expect(found.notificationUUID == "5a000000-0000-4000-8000-00000000000a")
    #expect(found.notificationType == .refund)
    #expect(found.signedDate == FixtureStore.now)
    #expect(found.transaction?.transactionId == "2000000000000001")
    #expect(found.identity == NotificationIdentity(bundleId: "com.example.app", environment: .sandbox))
    #expect(found.isReconstructible)
  }

  @Test("needs a signing date that is a whole positive number") func signedDate() {
    for date in [JSONValue.null, "1796000000000", .number(JSONNumber("1796000000000.5")!), 0, -1, false] {
      #expect(code(store.notification { payload, _ in payload["signedDate"] = date }) == .payload)
    }
    #expect(code(store.notification(transaction: FixtureStore.transaction { $0["signedDate"] = nil })) == .payload)
  }

  @Test("ahead of the clock is refused past a day, where a clock is given") func ahead() {
    let day: Int64 = 86_400_000
    for (clock, good) in [
      (FixtureStore.now, true), (FixtureStore.now - day, true), (FixtureStore.now - day - 1, false),
      (FixtureStore.now + 100 * day, true),
    ] {
      let failure = store.failure(of: store.sign(store.notification()), verifier: store.verifier(clock: { clock }))
      #expect((failure == nil) == good)
      #expect(good || failure?.code == .validity)
    }
  }

  @Test("of a refund without transaction, UUID or a usable form is kept apart") func unusable() {
    for type in ["CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED"] {
      #expect(isUnusable(store.notification(type: type, transaction: nil)))
    }
    #expect(store.failure(of: store.sign(store.notification(type: "SOMETHING", transaction: nil))) == nil)
    for uuid: JSONValue? in [
      nil, "", "x", "5a000000-0000-4000-8000-00000000000g", 5, "5a000000000040008000000000000057",
    ] {
      #expect(isUnusable(store.notification { payload, _ in payload["notificationUUID"] = uuid }))
    }
    #expect(isUnusable(store.notification { _, data in data["signedTransactionInfo"] = ["a": 1] }))
    #expect(isUnusable(store.notification(transaction: FixtureStore.transaction { $0["transactionId"] = "../1" })))
    #expect(
      isUnusable(
        store.notification { payload, _ in
          payload["appData"] = ["bundleId": "com.example.other", "environment": "Sandbox"]
        }))
  }

  @Test("carries what was verified when it is kept apart") func unusableCarries() throws {
    let token = store.sign(store.notification { payload, _ in payload["notificationUUID"] = nil })
    guard case .genuineButUnusable(let kept) = store.failure(of: token) else {
      Issue.record("must be kept apart")
      return
    }
    #expect(Array(kept.outer.received) == token)
    #expect(kept.inner.count == 1)
    #expect(kept.identity.bundleId == "com.example.app")
    #expect(kept.payload.notificationType == .refund)
  }

  @Test("takes no other kind of payload in a slot") func kinds() {
    let renewal: JSONValue = ["environment": "Sandbox", "signedDate": .number(JSONNumber(FixtureStore.now))]
    func inRenewalSlot(_ payload: JSONValue) -> VerificationRefusal.Code? {
      code(
        store.notification { _, data in
          data["signedRenewalInfo"] = .string(String(decoding: store.sign(payload), as: UTF8.self))
        })
    }
    #expect(inRenewalSlot(renewal) == nil)
    #expect(inRenewalSlot(FixtureStore.transaction()) == .payload)
    #expect(inRenewalSlot(store.notification()) == .payload)
    #expect(code(store.notification(transaction: renewal)) == .payload)
    #expect(code(store.notification(transaction: FixtureStore.transaction { $0["transactionId"] = "" })) == .payload)
    #expect(code(FixtureStore.transaction()) == .payload)
    #expect(code(["signedDate": .number(JSONNumber(FixtureStore.now))]) == .payload)
  }

  @Test("takes no inner token of another app or environment") func belonging() {
    for (member, value, expected) in [
      ("bundleId", "com.example.other" as JSONValue?, VerificationRefusal.Code.bundleId),
      ("bundleId", "com.example.APP", .bundleId), ("bundleId", nil, .bundleId),
      ("environment", "Production", .environment),
      ("environment", nil, .environment), ("environment", "sandbox", .environment),
    ] {
      let payload = store.notification(transaction: FixtureStore.transaction { $0[member] = value })
      let failure = store.failure(of: store.sign(payload))
      #expect(failure?.code == expected)
      #expect(failure?.refusal.slot == .transaction)
    }
  }

  @Test("is looked at in its three slots and no others") func slots() {
    let foreign = FixtureStore()
    let token = JSONValue.string(String(decoding: foreign.sign(FixtureStore.transaction()), as: UTF8.self))
    #expect(code(store.notification { payload, _ in payload["signedTransactionInfo"] = token }) == nil)
    #expect(code(store.notification { _, data in data["signedOther"] = token }) == nil)
    #expect(code(store.notification { _, data in data["signedRenewalInfo"] = token }) == .chain)
    #expect(
      code(store.notification { payload, _ in payload["appData"] = ["signedAppTransactionInfo": token] }) == .chain)
  }

  @Test("with an app transaction is judged by its own members") func appTransaction() throws {
    func payload(_ receiptType: String, _ bundleId: String) -> JSONValue {
      let inner: JSONValue = [
        "receiptType": .string(receiptType), "bundleId": .string(bundleId),
        "receiptCreationDate": .number(JSONNumber(FixtureStore.now)),
      ]
      let token = String(decoding: store.sign(inner), as: UTF8.self)
      return store.notification(type: "RESCIND_CONSENT", transaction: nil) { payload, data in
        data = [:]
        payload["appData"] = [
          "bundleId": "com.example.app", "environment": "Sandbox", "signedAppTransactionInfo": .string(token),
        ]
      }
    }
    let found = try store.verifier().verifyNotification(store.sign(payload("Sandbox", "com.example.app"))[...])
    #expect(found.appTransaction?.receiptType == .sandbox)
    #expect(found.identity.bundleId == "com.example.app")
    #expect(code(payload("Production", "com.example.app")) == .environment)
    #expect(code(payload("Sandbox", "com.example.other")) == .bundleId)
  }

  @Test("with a backslash in a token's string verifies and says so") func escaped() throws {
    let text = String(decoding: store.notification().bytes(), as: UTF8.self)
    let slash = text.replacing("\"signedTransactionInfo\":\"ey", with: "\"signedTransactionInfo\":\"\\u0065y")
    #expect(slash != text)
    let found = try store.verifier().verifyNotification(store.signing.sign(slash.utf8)[...])
    #expect(found.inner.first?.isEscaped == true)
    #expect(!found.isReconstructible)
  }

  @Test("whose last character carries spare bits verifies and says so") func notCanonical() throws {
    var token = store.sign(store.notification())
    // 64 bytes end in a character of which two bits count; the next one has the same two and a spare bit set.
    let spare = try #require(Base64URL.decode(token.suffix(86)))
    #expect(spare.isCanonical)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let place = try #require(alphabet.firstIndex(of: token[token.count - 1]))
    token[token.count - 1] = alphabet[place + 1]
    let found = try store.verifier().verifyNotification(token[...])
    #expect(!found.outer.isCanonical)
    #expect(!found.isReconstructible)
    #expect(Array(found.outer.received) == token)
  }

  @Test("never shows its text in an error") func silence() {
    let payload = store.notification { payload, data in
      payload["secretMember"] = "somebody@example.com"
      payload["signedDate"] = nil
    }
    let token = store.sign(payload)
    let failure = store.failure(of: token)
    #expect(failure != nil)
    #expect(!"\(failure!)".contains("somebody"))
    #expect(!"\(failure!)".contains(String(decoding: token.prefix(40), as: UTF8.self)))
  }
}

import Contracts
import Testing

@Suite("An id") struct EventIDTests {
  let purchase = try! PurchaseKey(environment: "Production", transactionID: "42")
  let uuid = "5A000000-0000-4000-8000-00000000000F"
  let hex = String(repeating: "ab", count: 32)

  @Test("of a notification has its UUID in lower case")
  func notification() {
    #expect(EventIDs.notification(uuid) == "notification/5a000000-0000-4000-8000-00000000000f")
  }

  @Test("of a claim and of its results differ in the first part alone")
  func claims() {
    #expect(EventIDs.claim(purchase, attempt: 1) == "claim/Production/42/1")
    #expect(EventIDs.sent(purchase, attempt: 2) == "sent/Production/42/2")
    #expect(EventIDs.failed(purchase, attempt: 3) == "failed/Production/42/3")
    #expect(EventIDs.unknown(purchase, attempt: 10) == "unknown/Production/42/10")
  }

  @Test("of a claim or result is read back", arguments: ["claim", "sent", "failed", "unknown"])
  func readBack(prefix: String) {
    let read = EventIDs.attempt(of: "\(prefix)/Production/42/7")
    #expect(read?.purchase == purchase)
    #expect(read?.attempt == 7)
    for id in [
      "\(prefix)/Production/42", "\(prefix)/Production/42/0", "\(prefix)/Production/42/07",
      "\(prefix)/Production/42/7/",
    ] {
      #expect(EventIDs.attempt(of: id) == nil, "\(id)")
    }
    #expect(EventIDs.attempt(of: "outcome/Production/42/7") == nil)
  }

  @Test("of a refund holds the revocation date, so that notification and history agree")
  func outcomes() {
    let dated = EventIDs.outcome(purchase, kind: .refunded, revocationDate: 1_794_301_200_000, notificationUUID: uuid)
    #expect(dated == "outcome/Production/42/refunded/1794301200000")
    #expect(dated == EventIDs.outcome(purchase, refundedAt: 1_794_301_200_000))
    #expect(
      EventIDs.outcome(purchase, kind: .refunded, revocationDate: nil, notificationUUID: uuid)
        == "outcome/Production/42/refunded/5a000000-0000-4000-8000-00000000000f")
  }

  @Test(
    "of another decision holds the notification's UUID, whatever dates there are",
    arguments: [Outcome.Kind.declined, .reversed])
  func otherOutcomes(kind: Outcome.Kind) {
    #expect(
      EventIDs.outcome(purchase, kind: kind, revocationDate: 1, notificationUUID: uuid)
        == "outcome/Production/42/\(kind.rawValue)/5a000000-0000-4000-8000-00000000000f")
  }

  @Test("of a fact without a key is its place in its stream")
  func next() {
    #expect(EventIDs.next(.policy, stream: Streams.app("com.example"), version: 4) == "policy/app/com.example/4")
    #expect(EventIDs.next(.consent, stream: Streams.customer(hex), version: 1) == "consent/customer/\(hex)/1")
    #expect(EventIDs.next(.evidence, stream: purchase.stream, version: 2) == "evidence/purchase/Production/42/2")
  }

  @Test("of a call with a key holds digits, never the key")
  func keyed() {
    #expect(EventIDs.keyed(.review, bundleID: "com.example", hex: hex) == "review/com.example/\(hex)")
  }

  @Test("of a new act has a UUID in lower case", arguments: EventIDs.Prefix.allCases)
  func new(prefix: EventIDs.Prefix) {
    #expect(EventIDs.new(prefix, uuid: uuid) == "\(prefix.rawValue)/5a000000-0000-4000-8000-00000000000f")
  }

  @Test("has a first part that no derived id has")
  func prefixes() {
    let derived: Set = ["notification", "claim", "sent", "failed", "unknown", "outcome"]
    #expect(derived.isDisjoint(with: EventIDs.Prefix.allCases.map(\.rawValue)))
  }

  @Test("lower-cases ASCII and nothing else")
  func lowerCase() { #expect(LowerCase.ascii("AZaz09Ä\u{130}\u{212A}-") == "azaz09Ä\u{130}\u{212A}-") }
}

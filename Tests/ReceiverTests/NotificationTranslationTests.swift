import AppStore
import Contracts
import Cryptography
import EventLog
import JSON
import TestSupport
import Testing

@testable import Receiver

@Suite("A notification becomes an event") struct NotificationTranslationTests {
  private func draft(_ token: ReceivedToken, at receivedAt: Int64 = 1, in log: MemoryEventLog) throws -> EventDraft {
    try NotificationTranslation(log: log).draft(token.verified(), for: token.app(), receivedAt: receivedAt)
  }

  @Test("with the golden bytes", arguments: GoldenRow.all)
  func golden(row: GoldenRow) throws {
    let log = try GoldenRow.log()
    let token = try #require(ReceivedToken.derived.first { $0.file.hasSuffix(row.file) })
    let draft = try draft(token, at: row.receivedAt, in: log)
    #expect(draft.data == row.data)
    #expect(draft.seams?.encoded == row.seams)
    #expect(draft.stream.text == row.stream)
    #expect(draft.type == "NotificationReceived")
    #expect(draft.schema == 1)
    #expect(draft.kind == row.kind)
    #expect(draft.environment == row.environment)
    #expect(draft.app == row.app)
    #expect(draft.customer == row.customer)
    #expect(draft.occurredAt == row.receivedAt)
    #expect(draft.signedAt == row.signedAt)
    try expectRebuilt(draft, token: token.token(), in: log)
  }

  @Test("there are golden rows") func count() {
    #expect(GoldenRow.all.count == 4)
    #expect(ReceivedToken.derived.count > 80)
    #expect(Project.sharedVectors == nil || !ReceivedToken.realSandbox.isEmpty)
  }

  @Test(
    "from which its token is spliced together again, for each that is accepted",
    arguments: ReceivedToken.derived.filter(\.isAccepted))
  func derived(token: ReceivedToken) throws { try check(token) }

  @Test(
    "from which its token is spliced together again, for each real one",
    .enabled(if: Project.sharedVectors != nil, "needs the full vectors beside the project"),
    arguments: ReceivedToken.realSandbox)
  func real(token: ReceivedToken) throws { try check(token) }

  private func check(_ token: ReceivedToken) throws {
    let log = try GoldenRow.log()
    let draft = try draft(token, in: log)
    guard case .spliced? = draft.seams?.form else {
      Issue.record("\(token.id) is canonical and takes form 1")
      return
    }
    try expectRebuilt(draft, token: token.token(), in: log)
    _ = try NotificationReceived(data: draft.data)
  }

  private func expectRebuilt(_ draft: EventDraft, token: [UInt8], in log: MemoryEventLog) throws {
    _ = try log.append([draft])
    let recorded = try #require(try log.read(id: draft.id))
    #expect(try log.signedToken(of: recorded) == token, "the received token comes back bit for bit")
  }

  @Test("keeps a token whose text is not the only one for its bytes, and gives it back")
  func notCanonical() throws {
    let store = SignedStore()
    for (name, token) in store.notCanonical() {
      let log = try GoldenRow.log()
      let verified = try store.verifier.verifyNotification(token[...])
      #expect(!verified.isReconstructible, "\(name)")
      let draft = try NotificationTranslation(log: log).draft(verified, for: SignedStore.app, receivedAt: 1)
      #expect(draft.seams?.form == .raw(token), "\(name)")
      #expect(draft.headers.isEmpty)
      try expectRebuilt(draft, token: token, in: log)
      let event = try NotificationReceived(data: draft.data)
      #expect(event.notification["data"]?["signedTransactionInfo"]?["transactionId"]?.string == "2000000000000001")
    }
  }

  @Test("keeps a derived token that is accepted though its text is odd", arguments: ["i06-signeddate-far-future"])
  func odd(id: String) throws {
    let log = try GoldenRow.log()
    let token = try ReceivedToken.derived(id)
    try expectRebuilt(draft(token, in: log), token: token.token(), in: log)
  }

  @Test("of the same customer however the token's letters are written, and never with the token in its names")
  func customer() throws {
    let store = SignedStore()
    let log = try GoldenRow.log()
    func draft(_ account: String?) throws -> EventDraft {
      let token = store.sign(
        store.notification(
          uuid: "5A000000-0000-4000-8000-0000000000AB",
          transaction: SignedStore.transaction { $0["appAccountToken"] = account.map { .string($0) } }))
      return try NotificationTranslation(log: log).draft(
        store.verifier.verifyNotification(token[...]), for: SignedStore.app, receivedAt: 1)
    }
    let lower = try draft("3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10")
    let upper = try draft("3F0F9A4E-6C11-4A39-9A55-0C1F2F6A7D10")
    #expect(lower.customer != nil)
    #expect(lower.customer == upper.customer)
    #expect(try draft("00000000-0000-0000-0000-000000000000").customer == nil)
    #expect(try draft(nil).customer == nil)
    #expect(lower.id.text == "notification/5a000000-0000-4000-8000-0000000000ab")
    #expect(lower.stream.text == "purchase/Sandbox/2000000000000001")
    for name in [lower.id.text, lower.stream.text, lower.customer!] { #expect(!name.lowercased().contains("3f0f9a4e")) }
  }

  @Test("in the app's stream where it has no transaction, its kind with the subtype") func withoutTransaction() throws {
    let store = SignedStore()
    let log = try GoldenRow.log()
    let token = store.sign(store.notification(type: "RENEWAL_EXTENSION", subtype: "SUMMARY", transaction: nil))
    let draft = try NotificationTranslation(log: log).draft(
      store.verifier.verifyNotification(token[...]), for: SignedStore.app, receivedAt: 1)
    #expect(draft.stream.text == "app/com.example.app")
    #expect(draft.kind == "RENEWAL_EXTENSION/SUMMARY")
    #expect(draft.customer == nil)
  }
}

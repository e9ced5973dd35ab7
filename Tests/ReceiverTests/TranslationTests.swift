import AppStore
import Cryptography
import EventLog
import JSON
import TestSupport
import Testing

@testable import Receiver

@Suite("A translated notification") struct TranslationTests {
  /// A log whose secret is the golden one, so that pseudonyms are the golden ones.
  private func log(_ golden: JSONView) throws -> MemoryEventLog {
    let secret = try #require(golden["log"]?["secret"]?.string.flatMap { Hex.decode($0) })
    return MemoryEventLog(
      parts: LogParts(
        clock: { 0 }, randomBytes: { $0 == 32 ? secret : [UInt8](repeating: 1, count: $0) }, newLogID: { "log" }))
  }

  private func verified(_ token: [UInt8]) throws -> VerifiedNotification {
    let anchor = try TrustAnchor(path: "\(Project.vectors)/certs/derived/root.der")
    return try SignedDataVerifier(anchors: [anchor]).verifyNotification(token[...])
  }

  private var app: AppIdentity {
    get throws {
      try AppIdentity(
        bundleId: "com.example.refunds", appAppleId: 1_470_168_111, environments: [.sandbox, .production])
    }
  }

  @Test("is the golden event, byte for byte, from Apple's token on")
  func golden() throws {
    let bytes = try #require(Project.bytes("\(Project.vectors)/format1-golden.json"))
    let golden = try JSONDocument(bytes: bytes).root
    let translation = NotificationTranslation(log: try log(golden))
    let events = try #require(golden["events"]?.elements)
    #expect(events.count == 4)
    for event in events {
      let row = try #require(event["row"])
      let token = try #require(Project.bytes("\(Project.vectors)/jws/derived/\(event["file"]!.string!)"))
      let draft = try translation.draft(verified(token), for: app, receivedAt: row["occurred_at"]!.int64!)
      #expect(String(decoding: draft.data, as: UTF8.self) == event["data"]?.string)
      #expect(Hex.encode(draft.seams!.encoded) == event["seams"]?.string)
      #expect(draft.id.text == row["id"]?.string && draft.stream.text == row["stream"]?.string)
      #expect(draft.kind == row["kind"]?.string && draft.type == row["type"]?.string)
      #expect(draft.environment == row["environment"]?.string && draft.app == row["app"]?.string)
      #expect(draft.customer == row["customer"]?.string)
      #expect(draft.occurredAt == row["occurred_at"]?.int64 && draft.signedAt == row["signed_at"]?.int64)
      #expect(draft.causation == nil && draft.correlation == nil)
    }
  }

  /// Every accepted notification of the derived set.
  static let accepted: [String] = {
    let bytes = Project.bytes("\(Project.vectors)/cases.json") ?? []
    let cases = (try? JSONDocument(bytes: bytes).root["cases"]?.elements) ?? []
    return cases.filter { $0["verdict"]?.string == "accept" }.compactMap { $0["file"]?.string }
  }()

  @Test("is put together again to the bit", arguments: accepted)
  func rebuilt(file: String) throws {
    let token = try #require(Project.bytes("\(Project.vectors)/\(file)"))
    let log = MemoryEventLog(
      parts: LogParts(clock: { 0 }, randomBytes: { [UInt8](repeating: 1, count: $0) }, newLogID: { "log" }))
    let draft = try NotificationTranslation(log: log).draft(verified(token), for: app, receivedAt: 1)
    _ = try log.append([draft])
    let event = try #require(try log.read(id: draft.id))
    #expect(try log.signedToken(of: event) == token)
    #expect(try JSONDocument(bytes: draft.data).root["firstReceivedAt"]?.int64 == 1)
  }

  @Test("keeps the received token where splicing would not give it back")
  func raw() throws {
    // A signed payload in which an inner token's first letter is written as an escape.
    let authority = StandInAuthority(notBefore: 1_577_836_800_000, notAfter: 4_102_444_799_000)
    let signing = authority.leaf(notBefore: 1_577_836_800_000, notAfter: 4_102_444_799_000)
    let transaction: JSONValue = [
      "transactionId": "42", "originalTransactionId": "42", "bundleId": "com.example.refunds",
      "environment": "Sandbox", "signedDate": 1_794_301_200_000, "type": "Consumable",
    ]
    let inner = String(decoding: signing.sign(transaction.bytes()), as: UTF8.self)
    let payload =
      #"{"notificationType":"REFUND","notificationUUID":"5A000000-0000-4000-8000-0000000000AA","version":"2.0","#
      + #""signedDate":1794301200000,"data":{"bundleId":"com.example.refunds","environment":"Sandbox","#
      + #""signedTransactionInfo":"\u0065\#(inner.dropFirst())"}}"#
    let token = signing.sign(payload.utf8)
    let anchor = try TrustAnchor(file: Array(authority.root.pem.utf8), source: "test")
    let notification = try SignedDataVerifier(anchors: [anchor]).verifyNotification(token[...])
    let log = MemoryEventLog(
      parts: LogParts(clock: { 0 }, randomBytes: { [UInt8](repeating: 1, count: $0) }, newLogID: { "log" }))
    let draft = try NotificationTranslation(log: log).draft(notification, for: app, receivedAt: 1)
    #expect(draft.seams?.form == .raw(token))
    #expect(draft.id.text == "notification/5a000000-0000-4000-8000-0000000000aa")
    #expect(draft.stream.text == "purchase/Sandbox/42")
    #expect(
      try JSONDocument(bytes: draft.data).root["notification"]?["data"]?["signedTransactionInfo"]?.kind == .object)
    _ = try log.append([draft])
    #expect(try log.signedToken(of: #require(try log.read(id: draft.id))) == token)
  }
}

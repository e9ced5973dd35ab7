import Cryptography
import EventLog

/// Digest and chain of an event, written from FORMAT's words a second time.
struct HistoryHash {
  let draft: EventDraft
  let position: Int64
  let version: Int64
  let recordedAt: Int64
  let digest: [UInt8]

  init(draft: EventDraft, position: Int64, version: Int64, recordedAt: Int64, salt: [UInt8]) {
    self.draft = draft
    self.position = position
    self.version = version
    self.recordedAt = recordedAt
    var text = Array("refundlog digest 1".utf8)
    text.reserveCapacity(draft.data.count + 400)
    Self.add(salt, to: &text)
    Self.add(draft.data, to: &text)
    Self.add(draft.seams?.encoded, to: &text)
    digest = SHA256.digest(of: text).bytes
  }

  func chain(after previous: [UInt8]) -> [UInt8] {
    var text = Array("refundlog chain 1".utf8)
    text.reserveCapacity(640)
    text += previous
    Self.add(position, to: &text)
    Self.add(draft.id.text, to: &text)
    Self.add(draft.stream.text, to: &text)
    Self.add(version, to: &text)
    Self.add(draft.type, to: &text)
    Self.add(draft.schema, to: &text)
    for word in [draft.kind, draft.environment, draft.app, draft.customer] { Self.add(word, to: &text) }
    Self.add(draft.occurredAt, to: &text)
    Self.add(draft.signedAt, to: &text)
    Self.add(recordedAt, to: &text)
    Self.add(draft.causation?.text, to: &text)
    Self.add(draft.correlation?.text, to: &text)
    text += digest
    return SHA256.digest(of: text).bytes
  }

  private static func add(_ bytes: [UInt8]?, to text: inout [UInt8]) {
    count(bytes?.count ?? -1, to: &text)
    text += bytes ?? []
  }

  private static func add(_ word: String?, to text: inout [UInt8]) {
    count(word?.utf8.count ?? -1, to: &text)
    if let word { text.append(contentsOf: word.utf8) }
  }

  private static func add(_ number: Int64?, to text: inout [UInt8]) {
    count(number == nil ? -1 : 8, to: &text)
    if let number { withUnsafeBytes(of: number.bigEndian) { text.append(contentsOf: $0) } }
  }

  private static func count(_ value: Int, to text: inout [UInt8]) {
    withUnsafeBytes(of: Int32(value).bigEndian) { text.append(contentsOf: $0) }
  }
}

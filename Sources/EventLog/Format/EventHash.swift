import Cryptography

/// Digests and chain of format 1. A field is its byte count in four big-endian bytes, then its bytes; NULL is
/// the count −1 alone; an integer is a field of its eight big-endian bytes.
enum EventHash {
  static func genesis(of log: LogIdentity) -> [UInt8] {
    var text = FieldBytes("refundlog log 1")
    text.field(log.id)
    text.field(SHA256.digest(of: log.secret).bytes)
    text.field(log.format)
    text.field(log.createdAt)
    return text.digest().bytes
  }

  static func digest(salt: [UInt8], data: [UInt8], seams: [UInt8]?) -> [UInt8] {
    var text = FieldBytes("refundlog digest 1", capacity: data.count + (seams?.count ?? 0) + 64)
    text.field(salt)
    text.field(data)
    text.field(seams)
    return text.digest().bytes
  }

  /// - Parameter event: with its digest; its chain is not looked at.
  static func chain(after previous: [UInt8], _ event: RecordedEvent) -> [UInt8] {
    var text = FieldBytes("refundlog chain 1", capacity: 640)
    text.raw(previous)
    text.field(event.position.value)
    text.field(event.id.text)
    text.field(event.stream.text)
    text.field(event.version)
    text.field(event.type)
    text.field(event.schema)
    text.field(event.kind)
    text.field(event.environment)
    text.field(event.app)
    text.field(event.customer)
    text.field(event.occurredAt)
    text.field(event.signedAt)
    text.field(event.recordedAt)
    text.field(event.causation?.text)
    text.field(event.correlation?.text)
    text.raw(event.digest)
    return text.digest().bytes
  }

  static func keyed(_ secret: [UInt8], _ fields: [[UInt8]]) -> String {
    var text = FieldBytes("")
    for field in fields { text.field(field) }
    return Hex.encode(HMACSHA256.code(of: text.withBytes { [UInt8]($0) }, key: secret))
  }
}

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
    return SHA256.digest(of: text.bytes).bytes
  }

  static func digest(salt: [UInt8], data: [UInt8], seams: [UInt8]?) -> [UInt8] {
    var text = FieldBytes("refundlog digest 1", capacity: data.count + (seams?.count ?? 0) + 64)
    text.field(salt)
    text.field(data)
    text.field(seams)
    return SHA256.digest(of: text.bytes).bytes
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
    return SHA256.digest(of: text.bytes).bytes
  }

  static func keyed(_ secret: [UInt8], _ fields: [[UInt8]]) -> String {
    var text = FieldBytes("")
    for field in fields { text.field(field) }
    return Hex.encode(HMACSHA256.code(of: text.bytes, key: secret))
  }
}

/// Bytes to be hashed, so put together that no two lists of fields give the same text.
struct FieldBytes {
  private(set) var bytes: [UInt8]

  init(_ purpose: String, capacity: Int = 128) {
    bytes = []
    bytes.reserveCapacity(capacity)
    bytes.append(contentsOf: purpose.utf8)
  }

  /// Begins anew in the same memory.
  mutating func restart(_ purpose: StaticString) {
    bytes.removeAll(keepingCapacity: true)
    purpose.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func raw(_ value: UnsafeRawBufferPointer) { bytes.append(contentsOf: value) }

  /// nil is NULL.
  mutating func field(lent value: UnsafeRawBufferPointer?) {
    guard let value else { return count(-1) }
    count(Int32(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

  mutating func field(_ value: [UInt8]?) {
    guard let value else { return count(-1) }
    count(Int32(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func field(_ value: String?) {
    guard let value else { return count(-1) }
    count(Int32(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  mutating func field(_ value: Int64?) {
    guard let value else { return count(-1) }
    count(8)
    bytes.append(bigEndian: UInt64(bitPattern: value))
  }

  private mutating func count(_ value: Int32) { bytes.append(bigEndian: UInt32(bitPattern: value)) }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}

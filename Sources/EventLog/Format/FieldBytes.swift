import Cryptography

/// Bytes to be hashed, so put together that no two lists of fields give the same text.
///
/// Memory of its own instead of an array: verification fills it twice for each event, and asks nobody each time whether
/// it is the only owner.
struct FieldBytes: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private var count = 0

  init(_ purpose: StaticString, capacity: Int = 128) {
    memory = .allocate(byteCount: max(capacity, 64), alignment: 1)
    restart(purpose)
  }

  deinit { memory.deallocate() }

  /// Begins anew in the same memory.
  mutating func restart(_ purpose: StaticString) {
    count = 0
    purpose.withUTF8Buffer { raw(UnsafeRawBufferPointer($0)) }
  }

  /// Good inside the closure.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  func digest() -> SHA256Digest { withBytes { SHA256.digest(of: $0) } }

  /// As it is, without a count before it.
  mutating func raw(_ value: UnsafeRawBufferPointer) {
    guard let start = value.baseAddress else { return }
    reserve(value.count)
    (memory.baseAddress! + count).copyMemory(from: start, byteCount: value.count)
    count += value.count
  }

  mutating func raw(_ value: [UInt8]) { value.withUnsafeBytes { raw($0) } }

  /// nil is NULL.
  mutating func field(lent value: UnsafeRawBufferPointer?) {
    guard let value else { return integer(Int32(-1)) }
    integer(Int32(value.count))
    raw(value)
  }

  mutating func field(_ value: [UInt8]?) {
    guard let value else { return field(lent: nil) }
    value.withUnsafeBytes { field(lent: $0) }
  }

  mutating func field(_ value: String?) {
    guard var value else { return field(lent: nil) }
    value.withUTF8 { field(lent: UnsafeRawBufferPointer($0)) }
  }

  mutating func field(_ value: Int64?) {
    guard let value else { return field(lent: nil) }
    integer(Int32(8))
    integer(value)
  }

  private mutating func integer(_ value: some FixedWidthInteger) {
    let size = value.bitWidth / 8
    reserve(size)
    memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: type(of: value))
    count += size
  }

  @inline(__always) private mutating func reserve(_ more: Int) {
    if count + more > memory.count { grow(by: more) }
  }

  private mutating func grow(by more: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count + more, memory.count * 2), alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    memory.deallocate()
    memory = larger
  }
}

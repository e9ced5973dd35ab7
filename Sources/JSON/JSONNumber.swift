/// A number as it was written: no digit is ever lost, whatever its size.
public struct JSONNumber: Sendable, Hashable {
  /// The text, which follows RFC 8259 §6.
  public let text: String

  public init(_ value: Int64) { text = String(value) }

  /// nil where the text is no JSON number.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let document = try? JSONDocument(bytes: bytes), document.root.kind == .number,
      document.root.range == 0..<bytes.count
    else { return nil }
    self.text = text
  }

  init(verified text: String) { self.text = text }

  /// The integer, exactly; nil where it was written with a point or an exponent or does not fit 64 bits.
  public var int64: Int64? { Self.int64(Array(text.utf8)[...]) }

  /// The nearest floating-point value; for display and ratios, never for money or instants.
  public var double: Double? { Double(text) }

  static func int64(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let negative = bytes.first == UInt8(ascii: "-")
    var result: Int64 = 0
    for byte in negative ? bytes.dropFirst() : bytes {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let digit = Int64(byte - 0x30)
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      let (next, carry) = product.addingReportingOverflow(negative ? -digit : digit)
      if overflow || carry { return nil }
      result = next
    }
    return result
  }
}

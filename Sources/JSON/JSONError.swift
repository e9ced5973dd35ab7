/// Why a text is not JSON as RFC 8259 and this room want it, and where. Holds nothing of the text but a key.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Reason: Equatable, Sendable {
    /// The text ends inside a value.
    case unexpectedEnd
    /// Another byte than the grammar allows; the text tells what was allowed.
    case unexpected(UInt8, expected: String)
    /// RFC 8259 §3: the only literals are true, false and null.
    case badLiteral
    /// RFC 8259 §6: leading zeros, a bare sign or point, an exponent without digits.
    case badNumber
    /// RFC 8259 §7: a backslash followed by something else than the eight escapes or \u and four digits.
    case badEscape
    /// A half of a UTF-16 pair alone (RFC 8259 §8.2): it stands for no text.
    case loneSurrogate
    /// A byte below 0x20 inside a string.
    case controlCharacter(UInt8)
    /// RFC 8259 §8.1: the text is UTF-8; overlong forms, surrogates and cut sequences are not.
    case badUTF8
    /// The key stands twice in one object (RFC 8259 §4 leaves that open; here it is refused).
    case duplicateKey(String)
    /// Something follows the value.
    case trailing
    /// A byte order mark (RFC 8259 §8.1).
    case byteOrderMark
    /// The document is larger, deeper or has more values than allowed.
    case overLimit(String, max: Int)
  }

  public var reason: Reason
  /// Byte offset of the fault.
  public var offset: Int
  /// From 1; lines end with a line feed.
  public var line: Int
  /// From 1, in bytes.
  public var column: Int

  public var description: String { "line \(line), column \(column): \(reason.words)" }
}

extension JSONError.Reason {
  var words: String {
    switch self {
    case .unexpectedEnd: "the text ends inside a value"
    case .unexpected(let byte, let expected): "\(name(byte)) stands where \(expected) belongs"
    case .badLiteral: "only true, false and null may be written without quotes"
    case .badNumber: "this is no JSON number (no leading zeros, digits on both sides of a point, digits after e)"
    case .badEscape: "a backslash in a string is followed by one of \" \\ / b f n r t or by u and four hex digits"
    case .loneSurrogate: "\\u escape is one half of a pair and its other half is missing"
    case .controlCharacter(let byte): "\(name(byte)) inside a string must be escaped"
    case .badUTF8: "the bytes are not UTF-8"
    case .duplicateKey(let key): "the key \"\(key.prefix(80))\" stands twice in one object"
    case .trailing: "something follows the value; one document holds one value"
    case .byteOrderMark: "the text begins with a byte order mark; remove it"
    case .overLimit(let what, let max): "more \(what) than the \(max) allowed"
    }
  }

  private func name(_ byte: UInt8) -> String {
    byte > 0x20 && byte < 0x7F ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x" + String(byte, radix: 16)
  }
}

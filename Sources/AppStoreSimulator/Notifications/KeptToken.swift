import Cryptography

/// A signed notification kept for the history: the header that stands in each of its tokens is kept once for all, so that
/// it takes 3 KB in place of 19.
struct KeptToken: Equatable, Sendable {
  /// No JSON holds this byte.
  private static let mark: UInt8 = 0

  /// The payload, each header in it replaced by the mark.
  private let payload: [UInt8]
  private let signature: [UInt8]
  private let header: [UInt8]

  /// What it takes beside the header.
  var bytes: Int { payload.count + signature.count }

  /// nil where the text is no compact token.
  init?(_ token: [UInt8]) {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let decoded = Base64URL.decode(parts[1]), decoded.isCanonical,
      !decoded.bytes.contains(Self.mark)
    else { return nil }
    header = Array(parts[0])
    signature = Array(parts[2])
    payload = Self.replaced(decoded.bytes, header, by: [Self.mark])
  }

  /// The token as it was signed, to the byte.
  var token: [UInt8] {
    var whole: [UInt8] = []
    for byte in payload {
      if byte == Self.mark { whole += header } else { whole.append(byte) }
    }
    let dot = UInt8(ascii: ".")
    return header + [dot] + Base64URL.encodeBytes(whole) + [dot] + signature
  }

  private static func replaced(_ bytes: [UInt8], _ part: [UInt8], by mark: [UInt8]) -> [UInt8] {
    guard let first = part.first else { return bytes }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == first, bytes[index...].starts(with: part) {
        result += mark
        index += part.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}

/// Path and query of a request, as they stand on the request line.
///
/// Characters are those of RFC 3986 §3.3 and §3.4 and every percent sign is followed by two hexadecimal
/// digits: nothing else gets past the initializer.
public struct HTTPTarget: Hashable, Sendable, CustomStringConvertible {
  /// Starts with a slash, or is `*` (OPTIONS); still percent-encoded.
  public let path: String
  /// What follows the first question mark, still percent-encoded; nil without a question mark.
  public let query: String?

  /// Nil when the text is not a target in origin-form or asterisk-form (RFC 9112 §3.2).
  public init?(_ text: String) {
    var text = text
    let parsed = text.withUTF8 { HTTPTarget(bytes: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  init?(bytes: UnsafeRawBufferPointer) {
    if bytes.count == 1, bytes[0] == UInt8(ascii: "*") {
      path = "*"
      query = nil
      return
    }
    guard bytes.first == UInt8(ascii: "/") else { return nil }
    let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
    let pathBytes = UnsafeRawBufferPointer(rebasing: bytes[..<(mark ?? bytes.endIndex)])
    guard PercentEncoding.isWellFormed(pathBytes, allowed: .path) else { return nil }
    path = String(decoding: pathBytes, as: UTF8.self)
    guard let mark else {
      query = nil
      return
    }
    let queryBytes = UnsafeRawBufferPointer(rebasing: bytes[(mark + 1)...])
    guard PercentEncoding.isWellFormed(queryBytes, allowed: .query) else { return nil }
    query = String(decoding: queryBytes, as: UTF8.self)
  }

  public var description: String { query.map { path + "?" + $0 } ?? path }

  /// The path cut at its slashes, each part percent-decoded; `/` gives one empty part.
  /// Nil when a part is not UTF-8 or holds a control character once decoded.
  public var segments: [String]? {
    guard path != "*" else { return nil }
    var result: [String] = []
    for part in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let decoded = PercentEncoding.decoded(part, plusIsSpace: false) else { return nil }
      result.append(decoded)
    }
    return result
  }

  /// Name and value pairs of the query, decoded as forms are (plus means space); a name without an equals
  /// sign has an empty value; no query gives no pairs. Nil when a part is not UTF-8 or holds a control character.
  public var queryItems: [(name: String, value: String)]? {
    var result: [(name: String, value: String)] = []
    for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard let name = PercentEncoding.decoded(pair[..<equals], plusIsSpace: true),
        let value = PercentEncoding.decoded(pair[equals...].dropFirst(), plusIsSpace: true)
      else { return nil }
      result.append((name, value))
    }
    return result
  }
}

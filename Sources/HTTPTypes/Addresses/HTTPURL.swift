/// An absolute http or https URL, strict (RFC 9110 §4.2): no user name, no fragment, nothing to be repaired.
public struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
  public enum Scheme: String, Hashable, Sendable { case http, https }

  /// Whom a connection is made to; connections are kept per origin.
  public struct Origin: Hashable, Sendable, CustomStringConvertible {
    public let scheme: Scheme
    /// Lower case; a name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    public let port: Int

    /// As the Host field has it: brackets around IPv6, no port where it is the scheme's own.
    public var authority: String {
      let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
      return port == scheme.defaultPort ? name : "\(name):\(port)"
    }

    public var description: String { "\(scheme.rawValue)://\(authority)" }
  }

  public let origin: Origin
  public var target: HTTPTarget

  /// - Throws: `HTTPURLError` naming the part that is wrong; it never repeats the text.
  public init(_ text: String) throws(HTTPURLError) {
    guard let end = text.range(ofASCII: "://"), let scheme = Scheme(rawValue: text[..<end.lowerBound].lowercased())
    else { throw .scheme }
    let rest = text[end.upperBound...].utf8
    guard !rest.contains(UInt8(ascii: "#")) else { throw .fragment }
    let authorityEnd = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    let authority = rest[..<authorityEnd]
    guard !authority.contains(UInt8(ascii: "@")) else { throw .userInfo }
    let (host, port) = try Self.split(authority, scheme: scheme)
    let path = String(rest[authorityEnd...]) ?? ""
    guard let target = HTTPTarget(path.hasPrefix("/") ? path : "/" + path) else { throw .target }
    origin = Origin(scheme: scheme, host: host, port: port)
    self.target = target
  }

  /// Another target at an origin that is known already.
  public init(origin: Origin, target: HTTPTarget) {
    self.origin = origin
    self.target = target
  }

  public var description: String { "\(origin)\(target)" }

  private static func split(
    _ authority: Substring.UTF8View, scheme: Scheme
  ) throws(HTTPURLError) -> (host: String, port: Int) {
    var name = authority
    var after = authority[authority.endIndex...]
    let isBracketed = authority.first == UInt8(ascii: "[")
    if isBracketed {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
      name = authority[authority.startIndex..<close].dropFirst()
      after = authority[close...].dropFirst()
    } else if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
      name = authority[..<colon]
      after = authority[colon...]
    }
    guard let host = String(name)?.lowercased(), isHost(host, isBracketed: isBracketed) else { throw .host }
    guard !after.isEmpty else { return (host, scheme.defaultPort) }
    let digits = after.dropFirst()
    guard after.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = String(digits).flatMap({ Int($0) }),
      (1...65535).contains(port)
    else { throw .port }
    return (host, port)
  }

  private static func isHost(_ host: String, isBracketed: Bool) -> Bool {
    guard !host.isEmpty, host.utf8.count <= 253 else { return false }
    let bytes = host.utf8
    if isBracketed {
      return bytes.contains(UInt8(ascii: ":"))
        && bytes.allSatisfy {
          PercentEncoding.hexadecimal($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy {
          ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: "-")
            || $0 == UInt8(ascii: "_")
        }
    }
  }
}

extension HTTPURL.Scheme {
  /// 80 or 443.
  public var defaultPort: Int { self == .https ? 443 : 80 }
}

extension String {
  /// Where an ASCII text first stands; nil when it does not.
  fileprivate func range(ofASCII part: String) -> Range<Index>? {
    var start = startIndex
    while let end = utf8.index(start, offsetBy: part.utf8.count, limitedBy: endIndex) {
      if utf8[start..<end].elementsEqual(part.utf8) { return start..<end }
      guard start < endIndex else { return nil }
      start = utf8.index(after: start)
    }
    return nil
  }
}

/// Everything before the body of a request, checked.
struct RequestHead {
  var method: HTTPMethod
  var target: HTTPTarget
  var authority: String
  var fields: HTTPFields
  var persistence: HTTPPersistence
  var framing: BodyReader.Framing
  var expectsContinue: Bool

  /// - Parameter bytes: whole lines as `HeadScanner` found them, with the closing empty line.
  init(_ bytes: UnsafeRawBufferPointer, limits: HTTPLimits) throws(HTTPParseFailure) {
    // The scanner lets one empty line pass before the first (RFC 9112 §2.2).
    let start = bytes[0] == 0x0D && bytes[1] == 0x0A ? 2 : 0
    guard let feed = bytes.firstLineFeed(from: start) else {
      throw HTTPParseFailure(400, "there is no request line")
    }
    let line = bytes.part(start..<feed - 1)
    guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
      throw HTTPParseFailure(400, "the request line is not method, target and version with one space between each")
    }
    let name = line.part(0..<first)
    guard !name.isEmpty, name.count <= 32, ByteSet.token.holdsAll(name) else {
      throw HTTPParseFailure(400, "the method is not a token of at most 32 characters")
    }
    let minor = try MessageFraming.minorVersion(line.part(last + 1..<line.count))
    method = HTTPMethod(rawValue: String(decoding: name, as: UTF8.self))
    let (target, named) = try Self.target(line.part(first + 1..<last), method: method)
    self.target = target
    fields = try FieldLines.read(bytes.part(feed + 1..<bytes.count), fieldsMax: limits.fieldsMax)
    authority = try Self.host(fields, isHTTP10: minor == 0)
    if let named { authority = named }
    framing = try MessageFraming.read(fields, isHTTP10: minor == 0) ?? .length(0)
    expectsContinue = try Self.expectation(fields, isHTTP10: minor == 0)
    if fields.hasToken("close", in: "Connection") {
      persistence = .close
    } else if minor == 0 {
      persistence = fields.hasToken("keep-alive", in: "Connection") ? .keepAndSay : .close
    } else {
      persistence = .keep
    }
  }

  /// Origin-form; asterisk-form for OPTIONS; absolute-form, which every server has to take (RFC 9112 §3.2).
  private static func target(
    _ bytes: UnsafeRawBufferPointer, method: HTTPMethod
  ) throws(HTTPParseFailure) -> (HTTPTarget, authority: String?) {
    guard method.rawValue != "CONNECT" else { throw HTTPParseFailure(501, "this is no proxy: CONNECT is not served") }
    var rest = bytes
    var authority: String?
    for scheme: StaticString in ["http://", "https://"] {
      let length = scheme.utf8CodeUnitCount
      guard bytes.count > length, bytes.part(0..<length).isText(scheme) else { continue }
      let end = bytes[length...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.count
      let named = bytes.part(length..<end)
      guard !named.isEmpty, ByteSet.authority.holdsAll(named) else {
        throw HTTPParseFailure(400, "the target names no valid host")
      }
      authority = String(decoding: named, as: UTF8.self)
      rest = bytes.part(end..<bytes.count)
    }
    if authority != nil, rest.first != UInt8(ascii: "/") {
      guard let target = HTTPTarget("/" + String(decoding: rest, as: UTF8.self)) else { throw badTarget }
      return (target, authority)
    }
    guard let target = HTTPTarget(bytes: rest), target.path != "*" || method == .options else { throw badTarget }
    return (target, authority)
  }

  private static let badTarget = HTTPParseFailure(400, "the target is not a path with characters of RFC 3986")

  private static func host(_ fields: HTTPFields, isHTTP10: Bool) throws(HTTPParseFailure) -> String {
    let hosts = fields.values(of: "Host")
    guard hosts.count == 1 || (hosts.isEmpty && isHTTP10) else {
      throw HTTPParseFailure(400, "Host has to be there exactly once (RFC 9112 3.2)")
    }
    guard let host = hosts.first else { return "" }
    guard ByteSet.authority.holdsAll(host.utf8) else { throw HTTPParseFailure(400, "Host is not a valid host") }
    return host
  }

  private static func expectation(_ fields: HTTPFields, isHTTP10: Bool) throws(HTTPParseFailure) -> Bool {
    let expectations = fields.values(of: "Expect")
    guard !expectations.isEmpty else { return false }
    guard expectations.count == 1, HTTPFields.same(expectations[0], "100-continue") else {
      throw HTTPParseFailure(417, "the only expectation met is 100-continue (RFC 9110 10.1.1)")
    }
    return !isHTTP10
  }
}

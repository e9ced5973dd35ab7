import Cryptography

/// How signed tokens were taken apart into an event's data, so that the exact received text can be put together
/// again: FORMAT 1, «seams».
public struct Seams: Sendable, Equatable {
  /// One token whose payload stands in the data.
  public struct Token: Sendable, Equatable {
    /// Index into the header digests.
    public var header: Int
    /// Bytes of the event's data that are the payload, in which the other tokens' payloads stand too.
    public var payload: Range<Int>
    /// r‖s, 64 bytes.
    public var signature: [UInt8]

    public init(header: Int, payload: Range<Int>, signature: [UInt8]) {
      self.header = header
      self.payload = payload
      self.signature = signature
    }
  }

  public enum Form: Sendable, Equatable {
    /// Every token comes back bit for bit. The outer token first, then by offset.
    case spliced(headerDigests: [[UInt8]], tokens: [Token])
    /// Some token would not: the received outer token, kept as it came.
    case raw([UInt8])
  }

  public let form: Form
  /// As stored.
  public let encoded: [UInt8]

  /// - Precondition: at most 255 headers and tokens, digests of 32 and signatures of 64 bytes, offsets below 2^32.
  public init(_ form: Form) {
    self.form = form
    encoded = Self.encode(form)
  }

  public var headerDigests: [[UInt8]] { if case .spliced(let digests, _) = form { digests } else { [] } }

  private static func encode(_ form: Form) -> [UInt8] {
    switch form {
    case .raw(let token): return [2] + token
    case .spliced(let digests, let tokens):
      var bytes: [UInt8] = [1, UInt8(digests.count)]
      for digest in digests {
        precondition(digest.count == 32, "a header digest is SHA-256")
        bytes += digest
      }
      bytes.append(UInt8(tokens.count))
      for token in tokens {
        precondition(token.signature.count == 64, "a signature is r‖s of P-256")
        bytes.append(UInt8(token.header))
        bytes.append(bigEndian: UInt32(token.payload.lowerBound))
        bytes.append(bigEndian: UInt32(token.payload.count))
        bytes += token.signature
      }
      return bytes
    }
  }

  /// nil where the bytes are no seams.
  public init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let form = reader.byte() else { return nil }
    if form == 2 {
      self.form = .raw(Array(bytes.dropFirst()))
      encoded = bytes
      return
    }
    guard form == 1, let digestCount = reader.byte() else { return nil }
    var digests: [[UInt8]] = []
    for _ in 0..<digestCount {
      guard let digest = reader.bytes(32) else { return nil }
      digests.append(digest)
    }
    guard let tokenCount = reader.byte(), tokenCount > 0 else { return nil }
    var tokens: [Token] = []
    for _ in 0..<tokenCount {
      guard let header = reader.byte(), Int(header) < digests.count, let offset = reader.integer(),
        let length = reader.integer(), let signature = reader.bytes(64)
      else { return nil }
      tokens.append(Token(header: Int(header), payload: offset..<offset + length, signature: signature))
    }
    guard reader.isAtEnd else { return nil }
    self.form = .spliced(headerDigests: digests, tokens: tokens)
    encoded = bytes
  }

  /// How many header digests follow the first two bytes; nil where the bytes are no seams. The same answer as
  /// decoding them gives, without a copy.
  static func headerDigestCount(in bytes: UnsafeRawBufferPointer) -> Int? {
    if bytes.first == 2 { return 0 }
    guard bytes.count >= 2, bytes[0] == 1 else { return nil }
    let digests = Int(bytes[1])
    let tokens = 2 + digests * 32
    guard bytes.count > tokens, bytes[tokens] > 0 else { return nil }
    let count = Int(bytes[tokens])
    guard bytes.count == tokens + 1 + count * tokenBytes else { return nil }
    for token in 0..<count where Int(bytes[tokens + 1 + token * tokenBytes]) >= digests { return nil }
    return digests
  }

  /// Header index, offset, length, signature.
  private static let tokenBytes = 1 + 4 + 4 + 64

  /// The received outer token.
  /// - Parameter header: bytes of a protected header by their digest.
  /// - Returns: nil where a header is missing or a place lies outside the data.
  public func token(in data: [UInt8], header: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
    switch form {
    case .raw(let token): return token
    case .spliced(let digests, let tokens):
      func signed(_ token: Token, payload: some Collection<UInt8>) -> [UInt8]? {
        guard let header = header(digests[token.header]) else { return nil }
        var text = Base64URL.encodeBytes(header)
        text.append(UInt8(ascii: "."))
        text += Base64URL.encodeBytes(payload)
        text.append(UInt8(ascii: "."))
        text += Base64URL.encodeBytes(token.signature)
        return text
      }
      guard let outer = tokens.first, outer.payload.upperBound <= data.count else { return nil }
      var payload: [UInt8] = []
      var offset = outer.payload.lowerBound
      for inner in tokens.dropFirst() {
        guard inner.payload.lowerBound >= offset, inner.payload.upperBound <= outer.payload.upperBound,
          let token = signed(inner, payload: data[inner.payload])
        else { return nil }
        payload += data[offset..<inner.payload.lowerBound]
        payload.append(UInt8(ascii: "\""))
        payload += token
        payload.append(UInt8(ascii: "\""))
        offset = inner.payload.upperBound
      }
      payload += data[offset..<outer.payload.upperBound]
      return signed(outer, payload: payload)
    }
  }
}

private struct ByteReader {
  private let source: [UInt8]
  private var offset = 0

  init(_ source: [UInt8]) { self.source = source }

  var isAtEnd: Bool { offset == source.count }

  mutating func byte() -> UInt8? { bytes(1)?.first }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard offset + count <= source.count else { return nil }
    defer { offset += count }
    return Array(source[offset..<offset + count])
  }

  mutating func integer() -> Int? {
    bytes(4).map { $0.reduce(0) { $0 << 8 | Int($1) } }
  }
}

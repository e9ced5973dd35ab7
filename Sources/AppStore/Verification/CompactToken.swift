import Cryptography

/// A compact JWS cut at its two dots (RFC 7515 §3.1), sizes checked, nothing decoded yet.
struct CompactToken {
  /// Characters of 64 bytes in base64url.
  private static let signatureTextBytes = 86

  let text: ArraySlice<UInt8>
  let header: ArraySlice<UInt8>
  let payload: ArraySlice<UInt8>
  /// What the signature is over: header, dot, payload, as received.
  let signed: ArraySlice<UInt8>
  let signature: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>, limits: VerificationLimits) throws(VerificationRefusal) {
    guard text.count <= limits.tokenBytesMax else {
      throw VerificationRefusal(.format, "a token of \(text.count) bytes, at most \(limits.tokenBytesMax) are read")
    }
    let dot = UInt8(ascii: ".")
    guard let first = text.firstIndex(of: dot), let last = text.lastIndex(of: dot), first < last,
      text[(first + 1)..<last].firstIndex(of: dot) == nil
    else {
      throw VerificationRefusal(.format, "a token has three parts with two dots between them, this text has not")
    }
    self.text = text
    header = text[..<first]
    payload = text[(first + 1)..<last]
    signed = text[..<last]
    signature = text[(last + 1)...]
    guard header.count <= limits.headerTextBytesMax else {
      throw VerificationRefusal(
        .format, "a header of \(header.count) bytes, at most \(limits.headerTextBytesMax) are read")
    }
    guard signature.count == Self.signatureTextBytes else {
      throw VerificationRefusal(
        .signature, "an ES256 signature has \(Self.signatureTextBytes) characters, this one has \(signature.count)")
    }
  }
}

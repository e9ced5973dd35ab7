import Cryptography
import Glibc

/// A compact JWS cut at its two dots (RFC 7515 §3.1), sizes checked, nothing decoded yet.
struct CompactToken {
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
    guard let first = Self.dot(in: text), let last = Self.dot(in: text[(first + 1)...]),
      Self.dot(in: text[(last + 1)...]) == nil
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
  }

  private static func dot(in text: ArraySlice<UInt8>) -> Int? {
    text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(UInt8(ascii: ".")), bytes.count) else {
        return nil
      }
      return text.startIndex + (UnsafeRawPointer(found) - start)
    }
  }

  /// The 64 bytes of the signature.
  func decodeSignature() throws(VerificationRefusal) -> (bytes: [UInt8], isCanonical: Bool) {
    // 64 bytes are 86 characters of base64url.
    guard signature.count == 86 else {
      throw VerificationRefusal(
        .signature, "an ES256 signature has 86 characters, this one has \(signature.count)")
    }
    guard let decoded = Base64URL.decode(signature) else {
      throw VerificationRefusal(.format, "the signature is not base64url")
    }
    return decoded
  }
}

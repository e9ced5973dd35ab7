public import Cryptography
public import JSON

/// A token whose chain, dates and signature hold.
public struct VerifiedToken: Sendable {
  /// The token as it came, ASCII.
  public let received: ArraySlice<UInt8>
  /// The decoded header; the same array for all tokens under one header.
  public let header: [UInt8]
  public let headerDigest: SHA256Digest
  /// The payload as a JSON text whose root is an object; `payload.bytes` are the bytes that were signed.
  public let payload: JSONDocument
  /// r then s, 64 bytes.
  public let signature: [UInt8]
  /// Whether header, payload and signature encoded in base64url give exactly `received`.
  public let isCanonical: Bool
  /// What the payload says of when it was signed, milliseconds since 1970 UTC.
  public let signedDate: Int64
  public let chain: StoreChain
}

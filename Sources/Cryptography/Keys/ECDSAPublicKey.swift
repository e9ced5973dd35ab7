import COpenSSL

/// The half of a key that checks signatures. Cheap to copy, usable from many threads at once.
public struct ECDSAPublicKey: Sendable {
  let handle: KeyHandle
  public let curve: ECDSACurve

  /// Nil where the key is not on a curve we know.
  init?(_ handle: KeyHandle) {
    guard let curve = handle.curve else { return nil }
    self.handle = handle
    self.curve = curve
  }

  /// Reads a SubjectPublicKeyInfo; nothing may follow it.
  public init(der: some Collection<UInt8>) throws(PublicKeyError) {
    let pointer: OpaquePointer? = withBytes(der) { der in
      var input = der.baseAddress
      guard let pointer = d2i_PUBKEY(nil, &input, der.count) else { return nil }
      guard input == der.baseAddress! + der.count else {
        EVP_PKEY_free(pointer)
        return nil
      }
      return pointer
    }
    guard let pointer else { throw .notDER(reason: OpenSSLErrors.take()) }
    let handle = KeyHandle(owning: pointer)
    guard let key = ECDSAPublicKey(handle) else { throw .unknownCurve(found: handle.groupName ?? "another kind") }
    self = key
  }

  /// Whether the holder of the key signed the message.
  /// - Parameters:
  ///   - signature: r then s, 64 bytes on P-256; any other count is false.
  ///   - message: what was signed, not its digest.
  public func isValid(_ signature: some Collection<UInt8>, for message: some Collection<UInt8>) -> Bool {
    withBytes(signature) { signature in
      guard signature.count == 2 * curve.coordinateBytes else { return false }
      return withBytes(message) { message in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ECDSASignatureDER.bytesMax) { der in
          let count = ECDSASignatureDER.write(signature, coordinateBytes: curve.coordinateBytes, to: der)
          return verify(der: UnsafeBufferPointer(rebasing: der[..<count]), message)
        }
      }
    }
  }

  private func verify(der: UnsafeBufferPointer<UInt8>, _ message: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory for a signature check") }
    defer { EVP_MD_CTX_free(context) }
    let valid =
      EVP_DigestVerifyInit(context, nil, curve.digest, nil, handle.pointer) == 1
      && EVP_DigestVerify(context, der.baseAddress, der.count, message.baseAddress, message.count) == 1
    if !valid { OpenSSLErrors.clear() }
    return valid
  }

  /// SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7).
  public var der: [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let count = i2d_PUBKEY(handle.pointer, &output)
    guard count > 0, let output else { preconditionFailure("a complete key could not be written") }
    defer { CRYPTO_free(output, #file, #line) }
    return [UInt8](UnsafeBufferPointer(start: output, count: Int(count)))
  }

  /// The DER as PEM text.
  public var pem: String {
    let output = MemoryBIO()
    precondition(PEM_write_bio_PUBKEY(output.pointer, handle.pointer) == 1, "a complete key could not be written")
    return output.text
  }
}

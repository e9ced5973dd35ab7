import COpenSSL
import COpenSSLShims

/// A key that signs. Cheap to copy, usable from many threads at once; printing it shows the curve alone.
public struct ECDSAPrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Longest key file that is looked at; an App Store Connect key has about 250 bytes.
  public static let fileBytesMax = 16_384

  let handle: KeyHandle
  public let curve: ECDSACurve

  /// A fresh key.
  public static func generate(_ curve: ECDSACurve = .p256) -> ECDSAPrivateKey {
    guard let pointer = copenssl_ec_generate(curve.groupName) else {
      preconditionFailure("no key could be made: \(OpenSSLErrors.take())")
    }
    return ECDSAPrivateKey(KeyHandle(owning: pointer), curve)
  }

  /// Reads the first PKCS#8 block (`-----BEGIN PRIVATE KEY-----`) of a `.p8` file; it must be on P-256.
  public init(pem: some Collection<UInt8>) throws(PrivateKeyError) {
    guard pem.count <= Self.fileBytesMax else {
      throw .tooLarge(bytes: pem.count, limit: Self.fileBytesMax)
    }
    let read: Result<OpaquePointer, PrivateKeyError> = withBytes(pem) { pem in
      let input = MemoryBIO(reading: pem)
      // The PKCS#8 reader asks for no passphrase; the general one would, at the terminal.
      guard let info = PEM_read_bio_PKCS8_PRIV_KEY_INFO(input.pointer, nil, nil, nil) else {
        return .failure(.notPKCS8(reason: OpenSSLErrors.take()))
      }
      defer { PKCS8_PRIV_KEY_INFO_free(info) }
      guard let pointer = EVP_PKCS82PKEY(info) else { return .failure(.notPKCS8(reason: OpenSSLErrors.take())) }
      return .success(pointer)
    }
    let handle = KeyHandle(owning: try read.get())
    guard handle.curve == .p256 else { throw .notP256(found: handle.groupName ?? "another kind") }
    self.init(handle, .p256)
  }

  public init(pem: String) throws(PrivateKeyError) { try self.init(pem: pem.utf8) }

  private init(_ handle: KeyHandle, _ curve: ECDSACurve) {
    self.handle = handle
    self.curve = curve
  }

  public var publicKey: ECDSAPublicKey {
    // A copy without the private part: one read from the public encoding.
    var output: UnsafeMutablePointer<UInt8>?
    let count = i2d_PUBKEY(handle.pointer, &output)
    guard count > 0, let output else { preconditionFailure("a complete key could not be written") }
    defer { CRYPTO_free(output, #file, #line) }
    var input: UnsafePointer<UInt8>? = UnsafePointer(output)
    guard let pointer = d2i_PUBKEY(nil, &input, Int(count)), let key = ECDSAPublicKey(KeyHandle(owning: pointer))
    else { preconditionFailure("a public key just written could not be read") }
    return key
  }

  /// r then s, 64 bytes on P-256. Two signatures of one message differ.
  public func signature(for message: some Collection<UInt8>) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory for a signature") }
    defer { EVP_MD_CTX_free(context) }
    var der = [UInt8](repeating: 0, count: ECDSASignatureDER.bytesMax)
    var count = der.count
    let signed = withBytes(message) { message in
      EVP_DigestSignInit(context, nil, curve.digest, nil, handle.pointer) == 1
        && EVP_DigestSign(context, &der, &count, message.baseAddress, message.count) == 1
    }
    precondition(signed, "a complete key could not sign")
    return der.withUnsafeBufferPointer { der in
      var input = der.baseAddress
      guard let pair = d2i_ECDSA_SIG(nil, &input, count) else { preconditionFailure("a signature could not be read") }
      defer { ECDSA_SIG_free(pair) }
      let half = curve.coordinateBytes
      return [UInt8](unsafeUninitializedCapacity: 2 * half) { output, initialized in
        let written =
          BN_bn2binpad(ECDSA_SIG_get0_r(pair), output.baseAddress, Int32(half))
          + BN_bn2binpad(ECDSA_SIG_get0_s(pair), output.baseAddress! + half, Int32(half))
        precondition(written == 2 * half, "a signature is longer than its curve")
        initialized = 2 * half
      }
    }
  }

  /// PKCS#8 as PEM text, unencrypted: for a file with mode 600.
  public var pem: String {
    let output = MemoryBIO()
    let written = PEM_write_bio_PKCS8PrivateKey(output.pointer, handle.pointer, nil, nil, 0, nil, nil)
    precondition(written == 1, "a complete key could not be written")
    return output.text
  }

  public var description: String { "private key on \(curve)" }
  public var customMirror: Mirror { Mirror(self, children: ["curve": curve]) }
}

import COpenSSL
import COpenSSLShims

/// One X.509 certificate, parsed once. Cheap to copy, usable from many threads at once. Two are equal when their
/// bytes are.
public struct Certificate: Sendable {
  /// Largest certificate that is looked at; Apple's have about 1,100 bytes.
  public static let bytesMax = 16_384

  let handle: CertificateHandle
  /// The exact encoding.
  public let der: [UInt8]
  /// First and last instant of validity, milliseconds since 1970 UTC; both belong to it.
  public let notBefore: Int64
  public let notAfter: Int64

  /// Reads exactly one certificate; bytes after it and encodings other than DER are refused.
  public init(der: some Collection<UInt8>) throws(CertificateParseError) {
    let der = Array(der)
    guard !der.isEmpty else { throw .empty }
    guard der.count <= Self.bytesMax else { throw .tooLarge(bytes: der.count, limit: Self.bytesMax) }
    let (pointer, rest) = der.withUnsafeBufferPointer { der in
      var input = der.baseAddress
      let pointer = d2i_X509(nil, &input, der.count)
      return (pointer, pointer == nil ? 0 : der.count - (input! - der.baseAddress!))
    }
    guard let pointer else { throw .notDER(reason: OpenSSLErrors.take()) }
    let handle = CertificateHandle(owning: pointer)
    guard rest == 0 else { throw .trailingBytes(count: rest) }
    guard handle.encoded == der else { throw .notCanonical }
    guard let notBefore = handle.notBefore, let notAfter = handle.notAfter else { throw .badDates }
    self.handle = handle
    self.der = der
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// Reads the first `-----BEGIN CERTIFICATE-----` block of a text.
  public init(pem: some Collection<UInt8>) throws(CertificateParseError) {
    guard pem.count <= 4 * Self.bytesMax else { throw .tooLarge(bytes: pem.count, limit: 4 * Self.bytesMax) }
    let read: Result<[UInt8], CertificateParseError> = withBytes(pem) { pem in
      let input = MemoryBIO(reading: pem)
      guard let pointer = PEM_read_bio_X509(input.pointer, nil, nil, nil) else {
        return .failure(.notPEM(reason: OpenSSLErrors.take()))
      }
      return .success(CertificateHandle(owning: pointer).encoded)
    }
    try self.init(der: try read.get())
  }

  /// The subject on one line, control characters escaped.
  public var subject: String {
    let output = MemoryBIO()
    _ = copenssl_name_print(output.pointer, X509_get_subject_name(handle.pointer))
    return output.text
  }

  /// SHA-256 of the encoding.
  public var fingerprint: SHA256Digest { SHA256.digest(of: der) }

  /// The certificate as PEM text.
  public var pem: String {
    let output = MemoryBIO()
    precondition(PEM_write_bio_X509(output.pointer, handle.pointer) == 1, "a certificate could not be written")
    return output.text
  }

  /// Whether an extension with this number is there, whatever it holds.
  /// - Parameter oid: digits and dots, such as `1.2.840.113635.100.6.11.1`.
  public func hasExtension(_ oid: String) -> Bool {
    guard let object = OBJ_txt2obj(oid, 1) else {
      OpenSSLErrors.clear()
      return false
    }
    defer { ASN1_OBJECT_free(object) }
    return X509_get_ext_by_OBJ(handle.pointer, object, -1) >= 0
  }

  /// Whether it says in its basic constraints that it may issue others.
  public var isAuthority: Bool { X509_check_ca(handle.pointer) == 1 }

  public var isP256: Bool { publicKey?.curve == .p256 }

  /// The key; nil where it is not on P-256 or P-384.
  public var publicKey: ECDSAPublicKey? {
    guard let pointer = X509_get_pubkey(handle.pointer) else {
      OpenSSLErrors.clear()
      return nil
    }
    return ECDSAPublicKey(KeyHandle(owning: pointer))
  }

  /// Whether the instant lies inside the dates; they are whole seconds, and the last one counts to its end.
  public func isValid(at milliseconds: Int64) -> Bool {
    milliseconds >= notBefore && milliseconds <= notAfter + 999
  }
}

extension Certificate: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.der == right.der }
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

import COpenSSL
import Glibc

/// Owns one X509 and frees it.
///
/// `@unchecked Sendable`: nobody changes a certificate once it is here; what OpenSSL works out late about it, it keeps
/// under a lock of its own.
final class CertificateHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over the caller's reference.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }

  var encoded: [UInt8] { Self.encoded(pointer) }

  static func encoded(_ pointer: OpaquePointer) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(pointer, &output)
    guard count > 0, let output else {
      OpenSSLErrors.clear()
      return []
    }
    defer { CRYPTO_free(output, #file, #line) }
    return [UInt8](UnsafeBufferPointer(start: output, count: Int(count)))
  }

  var notBefore: Int64? { Self.milliseconds(X509_get0_notBefore(pointer)) }
  var notAfter: Int64? { Self.milliseconds(X509_get0_notAfter(pointer)) }

  private static func milliseconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else {
      OpenSSLErrors.clear()
      return nil
    }
    // The parts are UTC by the rules of X.509; timegm reads them so, whatever zone the machine is in.
    return Int64(timegm(&parts)) * 1000
  }
}

import COpenSSL
import COpenSSLShims
import Glibc

/// One TLS connection on a non-blocking socket that somebody else closes.
final class ClientTLS {
  private let ssl: OpaquePointer

  init(ssl: OpaquePointer) { self.ssl = ssl }
  deinit { SSL_free(ssl) }

  /// Bytes on the wire so far, records and all.
  var bytesWritten: UInt64 { copenssl_bytes_written(ssl) }

  func handshake() -> IOOutcome {
    ERR_clear_error()
    let code = SSL_do_handshake(ssl)
    return code == 1 ? .moved(0) : outcome(code)
  }

  /// Why the peer's certificate was refused; nil when it was not.
  var verificationFault: String? {
    let code = SSL_get_verify_result(ssl)
    guard code != Int(X509_V_OK) else { return nil }
    return String(cString: X509_verify_cert_error_string(code))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> IOOutcome {
    ERR_clear_error()
    let code = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
    return code > 0 ? .moved(Int(code)) : outcome(code)
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> IOOutcome {
    ERR_clear_error()
    let code = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
    return code > 0 ? .moved(Int(code)) : outcome(code)
  }

  /// Looks whether something came. Session tickets, which servers send on their own, are taken in by this.
  func peek() -> IOOutcome {
    ERR_clear_error()
    var byte: UInt8 = 0
    let code = SSL_peek(ssl, &byte, 1)
    return code > 0 ? .moved(Int(code)) : outcome(code)
  }

  /// Reason of the oldest error OpenSSL has noted on this thread; empties its notes.
  static func errorText() -> String {
    var text = [CChar](repeating: 0, count: 160)
    copenssl_take_error(&text, Int32(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func outcome(_ code: Int32) -> IOOutcome {
    let systemError = errno
    switch SSL_get_error(ssl, code) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      let text = Self.errorText()
      return .failed(text.isEmpty ? IOOutcome.systemText(systemError) : "TLS: \(text)")
    }
  }
}

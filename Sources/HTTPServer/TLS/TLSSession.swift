import COpenSSL
import Glibc

/// One TLS connection on a non-blocking socket that somebody else closes.
final class TLSSession {
  private let ssl: OpaquePointer

  init(ssl: OpaquePointer) { self.ssl = ssl }
  deinit { SSL_free(ssl) }

  func handshake() -> Transport.Outcome {
    ERR_clear_error()
    let code = SSL_do_handshake(ssl)
    return code == 1 ? .moved(0) : outcome(code)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Transport.Outcome {
    ERR_clear_error()
    let code = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
    return code > 0 ? .moved(Int(code)) : outcome(code)
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Transport.Outcome {
    ERR_clear_error()
    let code = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
    return code > 0 ? .moved(Int(code)) : outcome(code)
  }

  /// Tells the peer that nothing more comes; its own goodbye is not waited for.
  func sayGoodbye() {
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
    ERR_clear_error()
  }

  private func outcome(_ code: Int32) -> Transport.Outcome {
    switch SSL_get_error(ssl, code) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      ERR_clear_error()
      return .failed
    }
  }
}

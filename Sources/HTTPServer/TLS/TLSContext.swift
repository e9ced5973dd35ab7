import COpenSSL
import COpenSSLShims

/// Certificate, key and rules for every TLS connection of a server.
///
/// `@unchecked Sendable`: an SSL_CTX is only read once it is set up, and counts its references atomically.
final class TLSContext: @unchecked Sendable {
  private let context: OpaquePointer

  init(certificatePath: String, keyPath: String) throws(HTTPServerError) {
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw .system(call: "SSL_CTX_new", reason: Self.errorText())
    }
    self.context = context
    // From here on a throw frees the context through deinit.
    _ = copenssl_set_minimum_tls12(context)
    copenssl_prepare_stream(context)
    guard SSL_CTX_use_certificate_chain_file(context, certificatePath) == 1 else {
      throw .tls(path: certificatePath, reason: Self.errorText())
    }
    guard SSL_CTX_use_PrivateKey_file(context, keyPath, SSL_FILETYPE_PEM) == 1,
      SSL_CTX_check_private_key(context) == 1
    else { throw .tls(path: keyPath, reason: Self.errorText()) }
  }

  deinit { SSL_CTX_free(context) }

  /// Nil when memory is short.
  func session(socket: Int32) -> TLSSession? {
    guard let ssl = SSL_new(context) else { return nil }
    let session = TLSSession(ssl: ssl)
    guard SSL_set_fd(ssl, socket) == 1 else { return nil }
    SSL_set_accept_state(ssl)
    return session
  }

  private static func errorText() -> String {
    var text = [CChar](repeating: 0, count: 160)
    copenssl_take_error(&text, Int32(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

import COpenSSL
import COpenSSLShims
import Glibc

/// Whom TLS connections trust, and the rules they all share.
final class ClientTrust {
  private let context: OpaquePointer

  /// - Parameter authoritiesPath: PEM file; nil takes the system's authorities.
  init(authoritiesPath: String?) throws(ConnectionFailure) {
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw ConnectionFailure(phase: .trust, reason: "OpenSSL gives no context: \(ClientTLS.errorText())")
    }
    self.context = context
    // From here on a throw frees the context through deinit.
    _ = copenssl_set_minimum_tls12(context)
    copenssl_prepare_stream(context)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    let code =
      if let authoritiesPath { SSL_CTX_load_verify_locations(context, authoritiesPath, nil) } else {
        SSL_CTX_set_default_verify_paths(context)
      }
    guard code == 1 else {
      let path = authoritiesPath ?? "the system's store of authorities"
      throw ConnectionFailure(
        phase: .trust, reason: "\(path) cannot be read as PEM certificates: \(ClientTLS.errorText())")
    }
  }

  deinit { SSL_CTX_free(context) }

  /// A session that will take nobody but `host` for its peer.
  func session(socket: Int32, host: String) throws(ConnectionFailure) -> ClientTLS {
    guard let ssl = SSL_new(context) else {
      throw ConnectionFailure(phase: .handshake, reason: "OpenSSL gives no session: \(ClientTLS.errorText())")
    }
    let session = ClientTLS(ssl: ssl)
    var binary = in6_addr()
    let isAddress = inet_pton(AF_INET, host, &binary) == 1 || inet_pton(AF_INET6, host, &binary) == 1
    let isNamed: Bool
    if isAddress {
      // RFC 6066 §3: a literal address is never a server name.
      isNamed = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
    } else {
      SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      isNamed = SSL_set1_host(ssl, host) == 1 && copenssl_set_sni(ssl, host) == 1
    }
    guard isNamed, SSL_set_fd(ssl, socket) == 1 else {
      throw ConnectionFailure(phase: .handshake, reason: "OpenSSL does not take the host: \(ClientTLS.errorText())")
    }
    SSL_set_connect_state(ssl)
    return session
  }
}

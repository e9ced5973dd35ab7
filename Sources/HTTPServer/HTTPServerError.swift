/// Why a server did not start. Nothing is left open when this is thrown.
public enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The setting is not a numeric address.
  case address(String)
  /// `reason` is the system's text, as in «Address already in use».
  case bind(address: String, port: UInt16, reason: String)
  /// Certificate or key cannot be used; `reason` is OpenSSL's text.
  case tls(path: String, reason: String)
  /// The system gives no more of something; `call` is the system call.
  case system(call: String, reason: String)

  public var description: String {
    switch self {
    case .address(let address):
      "«\(address)» is not a numeric IPv4 or IPv6 address to listen at: use one such as 127.0.0.1, 0.0.0.0 or ::1"
    case .bind(let address, let port, let reason):
      "cannot listen at \(address) port \(port): \(reason); choose another port or stop what holds it"
    case .tls(let path, let reason):
      "\(path) cannot be used for TLS: \(reason); it has to be readable PEM, and key and certificate have to belong together"
    case .system(let call, let reason):
      "the network could not be set up: \(call): \(reason); raise the process's limits"
    }
  }
}

import AppStore
import Cryptography
import HTTPClient
import HTTPServer
import HTTPTypes
import Service

/// Stands where the App Store Server API is, over TLS on this machine: takes every answer at once and notes when it came.
final class StandInStore: Sendable {
  let address: String
  /// PEM file with the authority that vouches for it.
  let authoritiesPath: String
  private let server: HTTPServer
  /// By transaction id, nanoseconds of `MonotonicClock`.
  private let arrivals: Monitor<[String: Int64]>

  /// - Parameter folder: takes certificates and key.
  init(folder: String) throws {
    let now = WallClock.system.now()
    let authorityKey = ECDSAPrivateKey.generate()
    let key = ECDSAPrivateKey.generate()
    let authority = Certificate.selfSigned(
      CertificateTemplate(
        commonName: "Bench", notBefore: now - 3_600_000, notAfter: now + 86_400_000, isAuthority: true),
      key: authorityKey)
    let leaf = authority.issue(
      CertificateTemplate(
        commonName: "127.0.0.1", notBefore: now - 3_600_000, notAfter: now + 86_400_000,
        alternativeNames: "IP:127.0.0.1"), for: key.publicKey, issuerKey: authorityKey)
    authoritiesPath = folder + "/store-authority.pem"
    try Files.write(Array(authority.pem.utf8), to: authoritiesPath)
    try Files.write(Array(leaf.pem.utf8), to: folder + "/store.pem")
    try Files.write(Array(key.pem.utf8), to: folder + "/store.key", mode: 0o600)
    var settings = HTTPServerSettings()
    settings.tls = .init(certificatePath: folder + "/store.pem", keyPath: folder + "/store.key")
    let arrivals = Monitor<[String: Int64]>([:])
    self.arrivals = arrivals
    server = HTTPServer(settings: settings) { request, reply in
      // Whoever asks for nothing but the time tells nothing.
      guard request.method == .put, let id = request.target.path.split(separator: "/").last else {
        reply(.empty(404))
        return
      }
      let now = MonotonicClock.nanoseconds()
      arrivals.change { $0[String(id)] = now }
      reply(.empty(202))
    }
    address = "https://127.0.0.1:\(try server.start())"
  }

  func stop() { server.stop() }

  var api: AppStoreServerAPI {
    get throws {
      let address = try AppStoreAddress(address)
      return AppStoreServerAPI(production: address, sandbox: address)
    }
  }

  /// When the answer about a purchase came, nanoseconds of `MonotonicClock`.
  func arrival(of transactionID: String, within milliseconds: Int64) throws(LoadError) -> Int64 {
    let found = arrivals.wait(until: MonotonicClock.milliseconds() + milliseconds) { $0[transactionID] }
    guard let found else { throw LoadError("no answer about \(transactionID) came within \(milliseconds) ms") }
    return found
  }
}

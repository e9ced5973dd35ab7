import COpenSSL

/// Digest algorithms, looked up once: a look-up per call costs more than hashing a short text.
///
/// `nonisolated(unsafe)`: the objects are written by the look-up alone, which `static let` runs once, and
/// never freed; OpenSSL reads them from any thread.
enum Algorithms {
  nonisolated(unsafe) static let sha256 = fetch("SHA256")
  nonisolated(unsafe) static let sha384 = fetch("SHA384")

  private static func fetch(_ name: String) -> OpaquePointer {
    guard let digest = EVP_MD_fetch(nil, name, nil) else {
      preconditionFailure("OpenSSL offers no \(name): install a libcrypto with its default provider")
    }
    return digest
  }
}

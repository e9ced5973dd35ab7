import Glibc

/// Authorities and leaves made with the `openssl` command, once per run, in a folder of their own.
struct TestCertificates: Sendable {
  struct Failed: Error { var command: String }

  private let folder: String

  static let shared = Result { () throws -> TestCertificates in try TestCertificates() }

  var authority: String { folder + "/authority.pem" }
  var foreignAuthority: String { folder + "/foreign.pem" }
  /// Leaf for localhost and 127.0.0.1.
  var good: String { folder + "/good.pem" }
  var goodKey: String { folder + "/good.key" }
  /// Leaf of the same authority for another name and address.
  var elsewhere: String { folder + "/elsewhere.pem" }
  var elsewhereKey: String { folder + "/elsewhere.key" }
  /// A leaf that has expired.
  var expired: String { folder + "/expired.pem" }
  var expiredKey: String { folder + "/expired.key" }

  private init() throws {
    var template = Array("/tmp/http-client-tests-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Failed(command: "mkdtemp") }
    folder = String(cString: made)
    atexit {
      guard case .success(let certificates) = TestCertificates.shared else { return }
      _ = system("rm -rf \(certificates.folder)")
    }
    try makeAuthority("authority")
    try makeAuthority("foreign")
    try makeLeaf("good", names: "DNS:localhost,IP:127.0.0.1", days: 2)
    try makeLeaf("elsewhere", names: "DNS:elsewhere.example,IP:127.0.0.2", days: 2)
    try makeLeaf("expired", names: "DNS:localhost,IP:127.0.0.1", days: -1)
  }

  private func makeAuthority(_ name: String) throws {
    try run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).pem "
        + "-days 2 -subj '/CN=\(name) for tests' -addext keyUsage=critical,keyCertSign")
  }

  private func makeLeaf(_ name: String, names: String, days: Int) throws {
    try run(
      "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).csr "
        + "-subj '/CN=\(name)'")
    try run("printf 'subjectAltName=\(names)\\nextendedKeyUsage=serverAuth\\n' > \(name).ext")
    try run(
      "openssl x509 -req -in \(name).csr -CA authority.pem -CAkey authority.key -CAcreateserial -days \(days) "
        + "-extfile \(name).ext -out \(name).pem")
  }

  private func run(_ command: String) throws {
    guard system("cd \(folder) && { \(command) ; } >/dev/null 2>&1") == 0 else { throw Failed(command: command) }
  }
}

import Contracts
import Cryptography
import HTTPTypes

/// Lets in who shows the token. Digests are compared, in constant time, so that nothing of the token is learnt.
struct BearerGuard: Sendable {
  /// Who shows it, for the events that follow.
  let name: String
  private let digest: [UInt8]

  init(name: String, token: [UInt8]) {
    self.name = name
    digest = SHA256.digest(of: token).bytes
  }

  func check(_ request: HTTPRequest) throws(Problem) {
    // The scheme's name is told in any case (RFC 9110 §11.1).
    guard let value = request.fields["Authorization"], value.utf8.count > 7, value.prefix(7).lowercased() == "bearer ",
      case let token = value.dropFirst(7),
      ConstantTime.equal(SHA256.digest(of: token.utf8).bytes, digest)
    else { throw Problem(.unauthorised) }
  }
}

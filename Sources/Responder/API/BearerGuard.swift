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
    guard let value = request.fields["Authorization"], let token = value.rest(after: "Bearer "),
      ConstantTime.equal(SHA256.digest(of: token.utf8).bytes, digest)
    else { throw Problem(.unauthorised) }
  }
}

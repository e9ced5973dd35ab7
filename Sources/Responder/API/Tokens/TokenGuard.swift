import Contracts
import Cryptography
import HTTPTypes
import Service

/// Lets in who shows a token: one of the store, or the one of the settings. Digests are compared, in constant time, so
/// that nothing of a token is learnt.
final class TokenGuard: Sendable {
  /// Who shows the token of the settings.
  static let settingsName = "backend"

  private let tokens: APITokens
  private let logger: Logger
  /// Digest of the token of the settings.
  private let ofSettings: Monitor<[UInt8]?>

  /// - Parameter token: of the settings; nil where they name none.
  init(tokens: APITokens, token: [UInt8]?, logger: Logger) {
    self.tokens = tokens
    self.logger = logger
    ofSettings = Monitor(token.map { SHA256.digest(of: $0).bytes })
  }

  /// Takes another token of the settings.
  func take(_ token: [UInt8]?) {
    let digest = token.map { SHA256.digest(of: $0).bytes }
    ofSettings.change { $0 = digest }
  }

  /// The digest of the token that a request shows. Never blocks, so that strangers are sent away before anything waits.
  func admit(_ request: HTTPRequest) throws(Problem) -> [UInt8] {
    // The scheme's name is told in any case (RFC 9110 §11.1).
    guard let value = request.fields["Authorization"], value.utf8.count > 7, value.prefix(7).lowercased() == "bearer "
    else { throw Problem(.unauthorised) }
    let digest = SHA256.digest(of: value.dropFirst(7).utf8).bytes
    if !isOfSettings(digest), tokens.isStranger(digest) { throw Problem(.unauthorised) }
    return digest
  }

  private func isOfSettings(_ digest: [UInt8]) -> Bool {
    ofSettings.withLock { $0 }.map { ConstantTime.equal($0, digest) } ?? false
  }

  /// Blocks: reads the store.
  func caller(_ digest: [UInt8]) throws(Problem) -> Caller {
    if isOfSettings(digest) {
      return Caller(name: Self.settingsName, keySpace: Self.settingsName, scopes: [.backend, .read, .support])
    }
    let token: APIToken?
    do throws(APITokensError) { token = try tokens.token(digest: digest) } catch {
      logger.error("tokens cannot be read", ["reason": "\(error)"])
      throw Problem(.unavailable)
    }
    guard let token else { throw Problem(.unauthorised) }
    return Caller(name: token.name, keySpace: Hex.encode(digest), scopes: token.scopes, bundleIDs: token.bundleIDs)
  }
}

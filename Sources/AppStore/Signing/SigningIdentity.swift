public import Cryptography
import JSON

/// A key with the chain it is shown under: what signs in Apple's place in simulations and tests.
public struct SigningIdentity: Sendable {
  /// Leaf, intermediate, root.
  public let certificates: [Certificate]
  public let key: ECDSAPrivateKey
  /// The protected header: `{"alg":"ES256","x5c":[…]}`, as Apple writes it.
  public let header: [UInt8]
  private let headerText: [UInt8]

  public init(certificates: [Certificate], key: ECDSAPrivateKey) {
    let entries = certificates.map { JSONValue.string(Base64.encode($0.der)) }
    let header = JSONValue.object(["alg": "ES256", "x5c": .array(entries)]).bytes()
    self.init(header: header, certificates: certificates, key: key)
  }

  /// With a header of one's own, which may be wrong in any way.
  public init(header: [UInt8], certificates: [Certificate], key: ECDSAPrivateKey) {
    self.certificates = certificates
    self.key = key
    self.header = header
    headerText = Base64URL.encodeBytes(header)
  }

  /// The payload as a compact JWS (RFC 7515 §7.1), ASCII.
  public func sign(_ payload: some Collection<UInt8>) -> [UInt8] {
    var token = headerText
    token.append(UInt8(ascii: "."))
    token.append(contentsOf: Base64URL.encodeBytes(payload))
    let signature = key.signature(for: token)
    token.append(UInt8(ascii: "."))
    token.append(contentsOf: Base64URL.encodeBytes(signature))
    return token
  }
}

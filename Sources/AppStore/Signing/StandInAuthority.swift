public import Cryptography

/// An authority shaped like Apple's, with keys of its own: a P-384 root and intermediate, P-256 leaves, Apple's two
/// marks. For the simulator and for tests; nobody trusts it who was not told to.
public struct StandInAuthority: Sendable {
  public let root: Certificate
  public let intermediate: Certificate
  private let rootKey: ECDSAPrivateKey
  private let intermediateKey: ECDSAPrivateKey

  /// - Parameters:
  ///   - name: begins the names of root and intermediate.
  ///   - notBefore: first instant of validity of both, milliseconds since 1970 UTC.
  ///   - notAfter: the last one.
  public init(name: String = "Stand-in", notBefore: Int64, notAfter: Int64) {
    rootKey = .generate(.p384)
    intermediateKey = .generate(.p384)
    root = .selfSigned(
      CertificateTemplate(
        commonName: "\(name) Root", notBefore: notBefore, notAfter: notAfter, isAuthority: true), key: rootKey)
    intermediate = root.issue(
      CertificateTemplate(
        commonName: "\(name) Intermediate", notBefore: notBefore, notAfter: notAfter, isAuthority: true,
        pathLength: 0, markers: [StoreChain.intermediateMark]),
      for: intermediateKey.publicKey, issuerKey: rootKey)
  }

  /// Another leaf and what signs under it.
  public func leaf(
    name: String = "Stand-in Receipt Signing", notBefore: Int64, notAfter: Int64,
    markers: [String] = [StoreChain.leafMark]
  ) -> SigningIdentity {
    let key = ECDSAPrivateKey.generate()
    let leaf = intermediate.issue(
      CertificateTemplate(commonName: name, notBefore: notBefore, notAfter: notAfter, markers: markers),
      for: key.publicKey, issuerKey: intermediateKey)
    return SigningIdentity(certificates: [leaf, intermediate, root], key: key)
  }
}

import Cryptography
import Testing

/// A small authority for tests, shaped like Apple's.
struct TestAuthority {
  static let start: Int64 = 1_600_000_000_000
  static let end: Int64 = 1_900_000_000_000

  let rootKey = ECDSAPrivateKey.generate(.p384)
  let intermediateKey = ECDSAPrivateKey.generate(.p384)
  let leafKey = ECDSAPrivateKey.generate()
  let root: Certificate
  let intermediate: Certificate
  let leaf: Certificate

  static func template(_ name: String, authority: Bool = false) -> CertificateTemplate {
    CertificateTemplate(commonName: name, notBefore: start, notAfter: end, isAuthority: authority)
  }

  init() {
    root = .selfSigned(Self.template("Root", authority: true), key: rootKey)
    intermediate = root.issue(
      Self.template("Intermediate", authority: true), for: intermediateKey.publicKey, issuerKey: rootKey)
    leaf = intermediate.issue(Self.template("Leaf"), for: leafKey.publicKey, issuerKey: intermediateKey)
  }

  func failure(
    leaf: Certificate? = nil, intermediate: Certificate? = nil, anchors: [Certificate]? = nil, at: Int64 = start
  ) -> CertificateChainError? {
    do {
      _ = try CertificateChain.verify(
        leaf: leaf ?? self.leaf, intermediate: intermediate ?? self.intermediate, anchors: anchors ?? [root], at: at)
      return nil
    } catch {
      return error
    }
  }
}

@Suite("A chain") struct CertificateChainTests {
  let authority = TestAuthority()

  private func isUntrusted(_ error: CertificateChainError?) -> Bool {
    if case .untrusted = error { true } else { false }
  }

  @Test("leads from leaf over intermediate to the pinned anchor") func good() throws {
    let other = TestAuthority()
    #expect(authority.failure() == nil)
    let chain = try CertificateChain(
      leaf: authority.leaf, intermediate: authority.intermediate, anchors: [other.root, authority.root])
    #expect(chain.anchor == authority.root)
    #expect(chain.leaf.isP256)
  }

  @Test("without anchors trusts nothing") func noAnchors() {
    #expect(authority.failure(anchors: []) == .noAnchors)
  }

  @Test("with one link of another authority is untrusted") func foreignLinks() {
    let other = TestAuthority()
    #expect(isUntrusted(authority.failure(anchors: [other.root])))
    #expect(isUntrusted(authority.failure(intermediate: other.intermediate)))
    #expect(isUntrusted(authority.failure(leaf: other.leaf)))
    #expect(isUntrusted(authority.failure(intermediate: other.intermediate, anchors: [other.root])))
  }

  @Test("with one link out of place is refused") func wrongPlaces() {
    #expect(authority.failure(intermediate: authority.root) != nil)
    #expect(authority.failure(leaf: authority.intermediate) != nil)
    #expect(authority.failure(leaf: authority.root, intermediate: authority.intermediate) != nil)
    #expect(authority.failure(leaf: authority.root, intermediate: authority.root) != nil)
    #expect(authority.failure(anchors: [authority.intermediate]) != nil)
    #expect(authority.failure(anchors: [authority.leaf]) != nil)
    let direct = authority.root.issue(
      TestAuthority.template("Direct"), for: authority.leafKey.publicKey, issuerKey: authority.rootKey)
    #expect(authority.failure(leaf: direct) != nil)
  }

  @Test("needs an intermediate that may issue") func notAuthority() {
    let plain = authority.root.issue(
      TestAuthority.template("Intermediate"), for: authority.intermediateKey.publicKey, issuerKey: authority.rootKey)
    #expect(authority.failure(intermediate: plain) == .notAuthority(subject: plain.subject))
    let child = authority.leaf.issue(
      TestAuthority.template("Child"), for: ECDSAPrivateKey.generate().publicKey, issuerKey: authority.leafKey)
    #expect(authority.failure(leaf: child, intermediate: authority.leaf) != nil)
  }

  @Test("may not be longer than the root allows") func pathLength() {
    var template = TestAuthority.template("Short root", authority: true)
    template.pathLength = 0
    let root = Certificate.selfSigned(template, key: authority.rootKey)
    let intermediate = root.issue(
      TestAuthority.template("Intermediate", authority: true), for: authority.intermediateKey.publicKey,
      issuerKey: authority.rootKey)
    let leaf = intermediate.issue(
      TestAuthority.template("Leaf"), for: authority.leafKey.publicKey, issuerKey: authority.intermediateKey)
    #expect(authority.failure(leaf: leaf, intermediate: intermediate, anchors: [root]) == .pathLength)
  }

  @Test("with an altered signature is untrusted") func alteredSignature() throws {
    var der = authority.leaf.der
    der[der.count - 1] ^= 1
    let altered = try Certificate(der: der)
    #expect(isUntrusted(authority.failure(leaf: altered)))
  }

  @Test("finds its anchor among others of the same name") func sameNames() {
    let others = (0..<3).map { _ in TestAuthority().root }
    #expect(authority.failure(anchors: others + [authority.root]) == nil)
    #expect(isUntrusted(authority.failure(anchors: others)))
  }

  @Test("accepts a pinned root signed anew with the same key and name") func reissuedRoot() {
    var template = TestAuthority.template("Root", authority: true)
    template.notAfter += 1_000_000
    let reissued = Certificate.selfSigned(template, key: authority.rootKey)
    #expect(reissued != authority.root)
    #expect(authority.failure(anchors: [reissued]) == nil)
  }

  @Test(
    "is judged at the instant given",
    arguments: [
      (TestAuthority.start - 1, false), (TestAuthority.start, true), (TestAuthority.end + 999, true),
      (TestAuthority.end + 1000, false),
    ])
  func dates(at: Int64, good: Bool) {
    let failure = authority.failure(at: at)
    #expect((failure == nil) == good)
    if !good {
      #expect(
        failure == .validity(.leaf, notBefore: TestAuthority.start, notAfter: TestAuthority.end, at: at))
    }
  }

  @Test("names the certificate that is outside its dates") func expiredIntermediate() {
    var template = TestAuthority.template("Intermediate", authority: true)
    template.notAfter = TestAuthority.start + 5000
    let intermediate = authority.root.issue(
      template, for: authority.intermediateKey.publicKey, issuerKey: authority.rootKey)
    let leaf = intermediate.issue(
      TestAuthority.template("Leaf"), for: authority.leafKey.publicKey, issuerKey: authority.intermediateKey)
    let at = TestAuthority.start + 6000
    #expect(
      authority.failure(leaf: leaf, intermediate: intermediate, at: at)
        == .validity(.intermediate, notBefore: TestAuthority.start, notAfter: template.notAfter, at: at))
  }
}

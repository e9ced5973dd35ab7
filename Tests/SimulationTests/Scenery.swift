import AppStore
import Cryptography
import JSON
import TestSupport

@testable import AppStoreSimulator
@testable import Receiver
@testable import Responder

/// What is the same in every world: keys, certificates and apps. Making them takes longer than a short story.
struct Scenery: Sendable {
  static let shared = Scenery()

  struct App: Sendable {
    let identity: AppIdentity
    let keyID: String
    let key: ECDSAPrivateKey
    /// A key that the App Store does not know.
    let wrongKey: ECDSAPrivateKey

    var tokens: BearerTokenMaker { try! tokens(of: key) }
    var wrongTokens: BearerTokenMaker { try! tokens(of: wrongKey) }

    private func tokens(of key: ECDSAPrivateKey) throws -> BearerTokenMaker {
      try BearerTokenMaker(keyId: keyID, issuerId: Scenery.issuerID, bundleId: identity.bundleId, key: key)
    }
  }

  static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"

  let apps: [App]
  let signing: SigningIdentity
  /// Signs as Apple does, under a root that nobody trusts.
  let forging: SigningIdentity
  let setup: ReceiverSetup

  private init() {
    let genuine = StandInAuthority(notBefore: StoreIdentity.notBefore, notAfter: StoreIdentity.notAfter)
    signing = genuine.leaf(notBefore: StoreIdentity.notBefore, notAfter: StoreIdentity.notAfter)
    forging = StandInAuthority(notBefore: StoreIdentity.notBefore, notAfter: StoreIdentity.notAfter)
      .leaf(notBefore: StoreIdentity.notBefore, notAfter: StoreIdentity.notAfter)
    apps = [("com.example.gems", 7, "AAAAAAAAAA"), ("com.example.news", 8, "BBBBBBBBBB")].map { name, number, key in
      App(
        identity: try! AppIdentity(bundleId: name, appAppleId: number, environments: [.production, .sandbox]),
        keyID: key, key: .generate(), wrongKey: .generate())
    }
    let anchor = try! TrustAnchor(file: Array(genuine.root.pem.utf8), source: "the stand-in's root")
    setup = ReceiverSetup(apps: apps.map(\.identity), verifier: SignedDataVerifier(anchors: [anchor]))
  }

  func app(_ bundleID: String) -> App { apps.first { $0.identity.bundleId == bundleID }! }

  static let addresses: [ServerEnvironment: String] = [
    .production: "https://production.example", .sandbox: "https://sandbox.example",
  ]
}

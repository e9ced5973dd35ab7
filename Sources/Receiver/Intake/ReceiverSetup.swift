import AppStore

/// What decides whom a notification is for. Swapped as a whole when the settings change.
struct ReceiverSetup: Sendable {
  let apps: [AppIdentity]
  let verifier: SignedDataVerifier

  init(apps: [AppIdentity], verifier: SignedDataVerifier) {
    self.apps = apps
    self.verifier = verifier
  }

  /// After a change of settings; what the verifier has learnt is kept where the roots are the same.
  init(apps: [AppIdentity], anchors: [TrustAnchor], before: ReceiverSetup) {
    self.apps = apps
    verifier = before.verifier.anchors == anchors ? before.verifier : SignedDataVerifier(anchors: anchors)
  }

  var bundleIDs: [String] { apps.map(\.bundleId) }

  /// Bundle ids by their bytes: Swift's == on text calls equal what is only canonically equivalent.
  var bundles: Set<[UInt8]> { Set(bundleIDs.map { Array($0.utf8) }) }
}

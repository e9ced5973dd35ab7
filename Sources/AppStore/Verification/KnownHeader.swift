import Cryptography

/// A header whose chain leads to a trust anchor.
struct KnownHeader: Sendable {
  let bytes: [UInt8]
  let digest: SHA256Digest
  /// Whether the received text is the one that encoding the bytes gives.
  let isCanonical: Bool
  let chain: StoreChain

  func with(isCanonical: Bool) -> Self {
    isCanonical == self.isCanonical
      ? self : Self(bytes: bytes, digest: digest, isCanonical: isCanonical, chain: chain)
  }
}

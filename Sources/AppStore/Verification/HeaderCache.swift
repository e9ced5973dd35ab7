import Cryptography
import Service

/// What is known of token headers, shared by all threads of a verifier.
///
/// A header is kept as good only after a signature under it has verified, and a chain only after its path has, so
/// strangers can neither fill these nor push anything out of them. What strangers can fill, the refused
/// headers, is a cache of its own.
final class HeaderCache: Sendable {
  private struct State {
    var headers: BoundedCache<SHA256Digest, KnownHeader>
    var chains: BoundedCache<SHA256Digest, StoreChain>
    var refused: BoundedCache<SHA256Digest, VerificationRefusal>
    var counters = VerifierCounters()
  }

  private let state: Monitor<State>

  init(limit: Int) {
    state = Monitor(
      State(headers: .init(limit: limit), chains: .init(limit: limit), refused: .init(limit: limit)))
  }

  var counters: VerifierCounters { state.withLock { $0.counters } }

  /// The header with those bytes: known, or read and its chain checked now.
  /// - Parameter trace: takes the steps; with it nothing that is known is used.
  func header(
    _ bytes: [UInt8], isCanonical: Bool, anchors: [Certificate], trace: VerificationTrace? = nil
  ) throws(VerificationRefusal) -> KnownHeader {
    let digest = SHA256.digest(of: bytes)
    if let trace {
      let chain = try StoreChain(
        certificates: try TokenHeader(bytes, trace: trace).certificates, anchors: anchors, trace: trace)
      return KnownHeader(bytes: bytes, digest: digest, isCanonical: isCanonical, chain: chain)
    }
    let (known, refused) = state.withLock { state -> (KnownHeader?, VerificationRefusal?) in
      let known = state.headers[digest]
      let refused = known == nil ? state.refused[digest] : nil
      if known != nil { state.counters.headersKnown += 1 }
      if refused != nil { state.counters.headersKnownRefused += 1 }
      return (known, refused)
    }
    if let known { return known.with(isCanonical: isCanonical) }
    if let refused { throw refused }
    do {
      let chain = try chain(try TokenHeader(bytes).certificates, anchors: anchors)
      return KnownHeader(bytes: bytes, digest: digest, isCanonical: isCanonical, chain: chain)
    } catch {
      state.withLock { $0.refused.insert(error, for: digest) }
      throw error
    }
  }

  /// Keeps a header under which a signature has verified.
  func keep(_ header: KnownHeader) { state.withLock { $0.headers.insert(header, for: header.digest) } }

  private func chain(_ certificates: [[UInt8]], anchors: [Certificate]) throws(VerificationRefusal) -> StoreChain {
    // What is offered as root plays no part and so is no part of the key, or one good chain could fill the cache.
    var hash = SHA256()
    for certificate in certificates.prefix(2) { hash.update(SHA256.digest(of: certificate).bytes) }
    let digest = hash.finish()
    if let known = state.withLock({ $0.chains[digest] }) {
      try StoreChain.checkOffered(root: certificates[2])
      return known
    }
    state.withLock { $0.counters.chainsChecked += 1 }
    let chain = try StoreChain(certificates: certificates, anchors: anchors)
    state.withLock { $0.chains.insert(chain, for: digest) }
    return chain
  }
}

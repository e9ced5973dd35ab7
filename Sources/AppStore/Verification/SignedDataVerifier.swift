import Cryptography
import Glibc
import JSON
import Service

/// Decides whether signed data is genuine. One per process, used by any number of threads at once.
///
/// The steps are those of `docs/verification.md`. Nothing is fetched; the same token gives the same answer on every
/// machine and at every time, unless a clock was given.
public final class SignedDataVerifier: Sendable {
  public let anchors: [TrustAnchor]
  public let judgedAt: JudgedAt
  public let limits: VerificationLimits
  private let certificates: [Certificate]
  private let clock: (@Sendable () -> Int64)?
  private let aheadMax: Int64
  private let cache: HeaderCache

  /// - Parameters:
  ///   - anchors: the roots that are trusted; with none, everything is refused.
  ///   - judgedAt: the instant at which certificates must be inside their dates.
  ///   - clock: reads the instant now, milliseconds since 1970 UTC; with it, data whose `signedDate` lies more than
  ///     `aheadMilliseconds` ahead is refused. Nil: the future is not judged.
  ///   - aheadMilliseconds: a day unless told otherwise, so that a clock somewhat wrong loses nothing.
  public init(
    anchors: [TrustAnchor], judgedAt: JudgedAt = .signedDate, clock: (@Sendable () -> Int64)? = nil,
    aheadMilliseconds: Int64 = 86_400_000, limits: VerificationLimits = VerificationLimits()
  ) {
    self.anchors = anchors
    self.judgedAt = judgedAt
    self.limits = limits
    self.clock = clock
    certificates = anchors.map(\.certificate)
    aheadMax = aheadMilliseconds
    cache = HeaderCache(limit: limits.cachedMax)
  }

  public var counters: VerifierCounters { cache.counters }

  /// Verifies a chain alone: leaf, intermediate and what is offered as root, in DER.
  public func verifyChain(_ certificates: [[UInt8]], at milliseconds: Int64) throws(VerificationError) -> StoreChain {
    do {
      let chain = try StoreChain(certificates: certificates, anchors: self.certificates)
      try chain.judge(at: milliseconds)
      return chain
    } catch {
      throw .refused(error)
    }
  }

  /// Verifies a transaction that stands alone. Whether it is for one of our apps is for
  /// `NotificationIdentity.judgeWithoutAppAppleId`.
  public func verifyTransaction(
    _ token: ArraySlice<UInt8>
  ) throws(VerificationError) -> VerifiedPayload<JWSTransactionDecodedPayload> {
    try alone(token, as: .transaction)
  }

  /// Verifies a renewal info that stands alone; it names no bundle id.
  public func verifyRenewalInfo(
    _ token: ArraySlice<UInt8>
  ) throws(VerificationError) -> VerifiedPayload<JWSRenewalInfoDecodedPayload> {
    try alone(token, as: .renewalInfo)
  }

  /// Verifies an app transaction that stands alone, judged at its `receiptCreationDate`.
  public func verifyAppTransaction(
    _ token: ArraySlice<UInt8>
  ) throws(VerificationError) -> VerifiedPayload<AppTransactionDecodedPayload> {
    try alone(token, as: .appTransaction)
  }

  private func alone<Payload: DecodedPayload>(
    _ text: ArraySlice<UInt8>, as slot: TokenSlot
  ) throws(VerificationError) -> VerifiedPayload<Payload> {
    var last: LastHeader?
    do {
      let token = try verify(text, dateMember: slot.dateMember, last: &last)
      try slot.checkKind(of: token.payload.root)
      return VerifiedPayload(token: token)
    } catch {
      throw .refused(error)
    }
  }

  /// The header of the token before, so that tokens of one notification, which normally share it, decode and look it
  /// up once.
  struct LastHeader {
    let text: ArraySlice<UInt8>
    let header: KnownHeader
  }

  /// Verifies one token: shape, header and chain, signature, payload, dates, in this order.
  /// - Parameter dateMember: the member that tells when it was signed.
  func verify(
    _ text: ArraySlice<UInt8>, dateMember: String, last: inout LastHeader?, trace: VerificationTrace? = nil
  ) throws(VerificationRefusal) -> VerifiedToken {
    trace?.begin(.parts)
    let token = try CompactToken(text, limits: limits)
    trace?.pass(
      "three parts: header \(token.header.count), payload \(token.payload.count), signature \(token.signature.count) "
        + "characters")
    trace?.begin(.header)
    let header = try header(of: token, last: &last, trace: trace)
    trace?.begin(.signature)
    let signature = try token.decodeSignature()
    guard let payload = Base64URL.decode(token.payload) else {
      throw VerificationRefusal(.format, "the payload is not base64url")
    }
    guard header.chain.leafKey.isValid(signature.bytes, for: token.signed) else {
      throw VerificationRefusal(.signature, "the signature does not belong to the text and the leaf's key")
    }
    cache.keep(header)
    trace?.pass("it verifies with the leaf's key over header, dot and payload as received")
    trace?.begin(.payload)
    let document = try PayloadReader.read(payload.bytes, limits: limits)
    trace?.pass("one JSON object of \(payload.bytes.count) bytes")
    trace?.begin(.date)
    guard let signedDate = document.root[dateMember]?.int64, signedDate > 0 else {
      throw VerificationRefusal(.payload, "\(dateMember) is absent or no whole number of milliseconds")
    }
    try judge(signedDate, header.chain)
    trace?.pass("\(dateMember) is \(RFC3339.text(signedDate)); all certificates of the chain are inside their dates")
    return VerifiedToken(
      received: token.text, header: header.bytes, headerDigest: header.digest, payload: document,
      signature: signature.bytes,
      isCanonical: header.isCanonical && payload.isCanonical && signature.isCanonical, signedDate: signedDate,
      chain: header.chain)
  }

  private func header(
    of token: CompactToken, last: inout LastHeader?, trace: VerificationTrace?
  ) throws(VerificationRefusal) -> KnownHeader {
    if let last, Self.equal(last.text, token.header) {
      trace?.pass("the same as that of the token before, with its chain")
      return last.header
    }
    guard let decoded = Base64URL.decode(token.header) else {
      throw VerificationRefusal(.format, "the header is not base64url")
    }
    let header = try cache.header(decoded.bytes, isCanonical: decoded.isCanonical, anchors: certificates, trace: trace)
    last = LastHeader(text: token.header, header: header)
    return header
  }

  private static func equal(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { memcmp(left.baseAddress!, $0.baseAddress!, left.count) == 0 }
    }
  }

  private func judge(_ signedDate: Int64, _ chain: StoreChain) throws(VerificationRefusal) {
    switch judgedAt {
    case .signedDate: try chain.judge(at: signedDate)
    case .fixed(let instant): try chain.judge(at: instant)
    }
    guard let clock else { return }
    let now = clock()
    guard signedDate - now <= aheadMax else {
      throw VerificationRefusal(
        .validity,
        "signed at \(RFC3339.text(signedDate)), which is more than \(aheadMax / 1000) s ahead of this machine's clock "
          + "(\(RFC3339.text(now))): check the clock")
    }
  }
}

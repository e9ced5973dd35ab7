import AppStore
import Cryptography
import JSON
import Testing

@Suite("A verifier's chain") struct StoreChainTests {
  let store = FixtureStore()

  private func failure(_ signing: SigningIdentity, verifier: SignedDataVerifier? = nil) -> VerificationRefusal.Code? {
    store.failure(of: store.sign(store.notification(type: "TEST", transaction: nil), by: signing), verifier: verifier)?
      .code
  }

  @Test("with each link taken away, changed or swapped is refused") func links() {
    let good = store.signing.certificates
    let foreign = FixtureStore().signing
    func with(_ certificates: [Certificate], _ key: ECDSAPrivateKey? = nil) -> VerificationRefusal.Code? {
      failure(SigningIdentity(certificates: certificates, key: key ?? store.signing.key))
    }
    #expect(with(good) == nil)
    for missing in 0..<3 {
      var rest = good
      rest.remove(at: missing)
      #expect(with(rest) == .chainLength)
    }
    #expect(with([foreign.certificates[0], good[1], good[2]], foreign.key) == .chain)
    #expect(with([good[0], foreign.certificates[1], good[2]]) == .chain)
    #expect(with([good[0], good[1], foreign.certificates[2]]) == nil, "the third certificate plays no part")
    #expect(with(foreign.certificates, foreign.key) == .chain)
    #expect(with(good, foreign.key) == .signature)
    #expect(with([good[0], good[2], good[1]]) == .chain)
    #expect(with([good[1], good[2], good[2]]) == .chain)
  }

  @Test("without Apple's marks is refused") func marks() {
    func leaf(_ markers: [String]) -> SigningIdentity {
      store.authority.leaf(notBefore: FixtureStore.start, notAfter: FixtureStore.end, markers: markers)
    }
    #expect(failure(leaf([])) == .leafOID)
    #expect(failure(leaf([StoreChain.intermediateMark])) == .leafOID)
    #expect(failure(leaf([StoreChain.leafMark, StoreChain.intermediateMark])) == nil)
  }

  @Test("without anchors trusts nothing") func noAnchors() {
    #expect(failure(store.signing, verifier: SignedDataVerifier(anchors: [])) == .chain)
  }

  @Test("is checked once, and its dates each time") func cached() throws {
    let verifier = store.verifier()
    func at(_ signedDate: Int64) -> VerificationRefusal.Code? {
      let payload = store.notification(type: "TEST", signedDate: signedDate, transaction: nil)
      return store.failure(of: store.sign(payload), verifier: verifier)?.code
    }
    #expect(at(FixtureStore.now) == nil)
    #expect(at(FixtureStore.start - 1) == .validity)
    #expect(at(FixtureStore.start) == nil)
    #expect(at(FixtureStore.end + 999) == nil)
    #expect(at(FixtureStore.end + 1000) == .validity)
    #expect(at(FixtureStore.now) == nil)
    #expect(verifier.counters == VerifierCounters(chainsChecked: 1, headersKnown: 5))
  }

  @Test("that is out of its dates is known all the same when the dates fit later") func datesFirst() {
    let verifier = store.verifier()
    let early = store.notification(type: "TEST", signedDate: 1, transaction: nil)
    #expect(store.failure(of: store.sign(early), verifier: verifier)?.code == .validity)
    #expect(failure(store.signing, verifier: verifier) == nil)
    #expect(verifier.counters.chainsChecked == 1)
  }

  @Test("is shared by the tokens of a notification") func shared() {
    let verifier = store.verifier()
    #expect(store.failure(of: store.sign(store.notification()), verifier: verifier) == nil)
    #expect(verifier.counters == VerifierCounters(chainsChecked: 1, headersKnown: 0))
    let other = store.authority.leaf(notBefore: FixtureStore.start, notAfter: FixtureStore.end)
    #expect(store.failure(of: store.sign(store.notification(), by: other), verifier: verifier) == nil)
    #expect(verifier.counters == VerifierCounters(chainsChecked: 2, headersKnown: 1))
  }

  @Test("that was refused is refused again without another look") func refusedOnce() {
    let verifier = store.verifier()
    let foreign = FixtureStore().signing
    for _ in 0..<3 { #expect(failure(foreign, verifier: verifier) == .chain) }
    #expect(verifier.counters == VerifierCounters(chainsChecked: 1, headersKnown: 0, headersKnownRefused: 2))
  }

  @Test("of strangers can push nothing out, and of one good chain no more than one is kept") func flooded() {
    var limits = VerificationLimits()
    limits.cachedMax = 2
    let verifier = store.verifier(limits: limits)
    #expect(failure(store.signing, verifier: verifier) == nil)
    let stranger = ECDSAPrivateKey.generate()
    let entries = JSONValue.array(store.signing.certificates.map { .string(Base64.encode($0.der)) })
    for number in 0..<10 {
      let header: JSONValue = ["alg": "ES256", "x5c": entries, "n": .number(JSONNumber(Int64(number)))]
      let signing = SigningIdentity(header: header.bytes(), certificates: [], key: stranger)
      #expect(failure(signing, verifier: verifier) == .signature)
    }
    for number in 0..<5 {
      let header: JSONValue = ["alg": "none", "n": .number(JSONNumber(Int64(number)))]
      #expect(
        failure(SigningIdentity(header: header.bytes(), certificates: [], key: stranger), verifier: verifier)
          == .algorithm)
    }
    let known = verifier.counters.headersKnown
    #expect(failure(store.signing, verifier: verifier) == nil)
    #expect(verifier.counters.headersKnown == known + 1)
    #expect(verifier.counters.chainsChecked == 1)
  }

  @Test("is judged the same by many threads at once") func threads() async {
    let verifier = store.verifier()
    let good = store.sign(store.notification())
    var bad = good
    bad[bad.count - 20] = bad[bad.count - 20] == 65 ? 66 : 65
    let forged = bad
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          let token = number.isMultiple(of: 2) ? good : forged
          let verified = (try? verifier.verifyNotification(token[...])) != nil
          return verified == number.isMultiple(of: 2)
        }
      }
      for await right in group { #expect(right) }
    }
  }
}

import AppStore
import Cryptography
import JSON
import Testing

@Suite("A hostile token") struct HostileTokenTests {
  let store = FixtureStore()

  private func code(_ token: [UInt8], limits: VerificationLimits = VerificationLimits()) -> VerificationRefusal.Code? {
    store.failure(of: token, verifier: store.verifier(limits: limits))?.code
  }

  @Test(
    "of any shape is refused",
    arguments: ["", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d", "\u{0}.\u{0}.\u{0}", "ä.ö.ü"])
  func shapes(text: String) { #expect(code(Array(text.utf8)) != nil) }

  @Test("is read up to its limits and not beyond") func sizes() {
    let token = store.sign(store.notification())
    var limits = VerificationLimits()
    limits.tokenBytesMax = token.count
    #expect(code(token, limits: limits) == nil)
    limits.tokenBytesMax = token.count - 1
    #expect(code(token, limits: limits) == .format)
    limits = VerificationLimits()
    limits.headerTextBytesMax = token.firstIndex(of: UInt8(ascii: "."))!
    #expect(code(token, limits: limits) == nil)
    limits.headerTextBytesMax -= 1
    #expect(code(token, limits: limits) == .format)
    #expect(code([UInt8](repeating: 65, count: 3_000_000)) == .format)
    #expect(code([UInt8](repeating: UInt8(ascii: "."), count: 1_000_000)) == .format)
  }

  @Test("with a payload too deep or too full is refused after its signature only") func payloadLimits() {
    func nested(_ depth: Int) -> [UInt8] {
      let inner = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      return Array(
        #"{"notificationType":"TEST","notificationUUID":"5a000000-0000-4000-8000-000000000001","signedDate":1796000000000,"x":\#(inner)}"#
          .utf8)
    }
    #expect(code(store.signing.sign(nested(32))) == nil)
    #expect(code(store.signing.sign(nested(33))) == .payload)
    var broken = store.signing.sign(nested(33))
    broken[broken.count - 10] = broken[broken.count - 10] == 65 ? 66 : 65
    #expect(code(broken) == .signature)
  }

  @Test("cut or changed at any place is refused and never brings the process down") func mutations() {
    let token = store.sign(store.notification(type: "TEST", transaction: nil))
    let verifier = store.verifier()
    for count in stride(from: 0, to: token.count, by: 97) {
      #expect(store.failure(of: Array(token.prefix(count)), verifier: verifier) != nil)
    }
    for place in stride(from: 0, to: token.count - 1, by: 61) {
      var changed = token
      changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(store.failure(of: changed, verifier: verifier) != nil)
    }
  }

  private func header(_ members: JSONValue) -> [UInt8] {
    SigningIdentity(header: members.bytes(), certificates: [], key: store.signing.key).sign(
      store.notification().bytes())
  }

  @Test("with a header of another kind is refused with the reason") func headers() {
    let chain = store.signing.certificates.map { JSONValue.string(Base64.encode($0.der)) }
    let good: JSONObject = ["alg": "ES256", "x5c": .array(chain)]
    func changed(_ change: (inout JSONObject) -> Void) -> VerificationRefusal.Code? {
      var object = good
      change(&object)
      return code(header(.object(object)))
    }
    #expect(changed { _ in } == nil)
    #expect(changed { $0["kid"] = "x" } == nil)
    #expect(changed { $0["typ"] = ["JWT"] } == nil)
    #expect(changed { $0["crit"] = [] } == .format)
    #expect(changed { $0["alg"] = nil } == .algorithm)
    #expect(changed { $0["alg"] = ["ES256"] } == .algorithm)
    #expect(changed { $0["alg"] = "ES256 " } == .algorithm)
    #expect(changed { $0["alg"] = "ES384" } == .algorithm)
    #expect(changed { $0["x5c"] = .array(chain + [chain[2]]) } == .chainLength)
    #expect(changed { $0["x5c"] = .array(Array(chain.dropLast())) } == .chainLength)
    #expect(changed { $0["x5c"] = .array([chain[0], chain[1], 5]) } == .certificateDecode)
    #expect(changed { $0["x5c"] = .array([chain[0], chain[1], "AAAA"]) } == .certificateDecode)
    #expect(changed { $0["x5c"] = .array([chain[0], chain[1], chain[0]]) } == nil)
    #expect(changed { $0["x5c"] = .array([chain[1], chain[0], chain[2]]) } == .chain)
    #expect(code(header([])) == .format)
    #expect(code(header("x")) == .format)
  }
}

import AppStore
import Cryptography
import HTTPTypes
import JSON
import Testing

@testable import AppStoreSimulator

@Suite("A bearer token") struct BearerTokenJudgeTests {
  private static let now: Int64 = 1_796_000_000
  private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
  private static let key = ECDSAPrivateKey.generate()
  private let judge = BearerTokenJudge(
    keyId: "ABC123DEFG", issuerId: issuer, bundleIds: ["com.example.first", "com.example.refunds"], key: key.publicKey)

  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var isGood: Bool
    var apply: @Sendable (inout JSONObject, inout JSONObject) -> Void

    init(_ text: String, good: Bool = false, _ apply: @escaping @Sendable (inout JSONObject, inout JSONObject) -> Void)
    {
      testDescription = text
      isGood = good
      self.apply = apply
    }
  }

  private static func seconds(_ offset: Int64) -> JSONValue { .number(JSONNumber(now + offset)) }

  static let changes: [Change] = [
    Change("as it should be", good: true) { _, _ in },
    Change("alg HS256") { header, _ in header["alg"] = "HS256" },
    Change("alg none") { header, _ in header["alg"] = "none" },
    Change("no alg") { header, _ in header["alg"] = nil },
    Change("another kid") { header, _ in header["kid"] = "ABC123DEFH" },
    Change("no kid") { header, _ in header["kid"] = nil },
    Change("another typ") { header, _ in header["typ"] = "JWS" },
    Change("another iss") { _, payload in payload["iss"] = "00000000-96fe-1a63-e053-0824d011072a" },
    Change("another bid") { _, payload in payload["bid"] = "com.example.other" },
    Change("no bid") { _, payload in payload["bid"] = nil },
    Change("another aud") { _, payload in payload["aud"] = "appstoreconnect-v2" },
    Change("aud as a list") { _, payload in payload["aud"] = ["appstoreconnect-v1"] },
    Change("exp one hour after iat", good: true) { _, payload in payload["exp"] = seconds(3600) },
    Change("exp an hour and a second after iat") { _, payload in payload["exp"] = seconds(3601) },
    Change("exp not after iat") { _, payload in payload["exp"] = seconds(0) },
    Change("exp now") { _, payload in (payload["iat"], payload["exp"]) = (seconds(-300), seconds(0)) },
    Change("exp a second ahead", good: true) { _, payload in
      (payload["iat"], payload["exp"]) = (seconds(-300), seconds(1))
    },
    Change("iat half a minute back", good: true) { _, payload in payload["iat"] = seconds(-30) },
    Change("iat a second ahead") { _, payload in payload["iat"] = seconds(1) },
    Change("iat in milliseconds") { _, payload in payload["iat"] = .number(JSONNumber(now * 1000)) },
    Change("both in milliseconds") { _, payload in
      payload["iat"] = .number(JSONNumber(now * 1000))
      payload["exp"] = .number(JSONNumber(now * 1000 + 300))
    },
    Change("iat as text") { _, payload in payload["iat"] = .string("\(now)") },
    Change("no iat") { _, payload in payload["iat"] = nil },
    Change("no exp") { _, payload in payload["exp"] = nil },
  ]

  @Test("is judged claim by claim", arguments: changes)
  func claims(change: Change) {
    let token = Self.token(change.apply)
    #expect((fault("Bearer \(token)") == nil) == change.isGood)
  }

  @Test("is refused in another wrapping") func wrapping() {
    let token = Self.token()
    #expect(fault("bearer \(token)") == nil)
    for value in [
      token, "Basic \(token)", "Bearer", "Bearer ", "Bearer \(token).x", "Bearer \(token)=", "Bearer a.b.c",
    ] {
      #expect(fault(value) != nil)
    }
    #expect(judge.judge([:], now: Self.now * 1000) != .good(bundleId: "com.example.refunds"))
    let twice: HTTPFields = ["Authorization": "Bearer \(token)", "authorization": "Bearer \(token)"]
    #expect(judge.judge(twice, now: Self.now * 1000) != .good(bundleId: "com.example.refunds"))
  }

  @Test("is refused by another key, and with a signature in DER") func signatures() {
    #expect(fault("Bearer \(Self.token(key: .generate()))") != nil)
    let parts = Self.token().split(separator: ".")
    let raw = Base64URL.decode(parts[2])!.bytes
    // SEQUENCE of two INTEGERs, each with a zero in front: what OpenSSL gives for large r and s.
    let der = [0x30, 70, 0x02, 33, 0] + raw[..<32] + [0x02, 33, 0] + raw[32...]
    #expect(fault("Bearer \(parts[0]).\(parts[1]).\(Base64URL.encode(der))")?.contains("not DER") == true)
  }

  @Test("that the responder makes is good") func made() throws {
    let maker = try BearerTokenMaker(
      keyId: "ABC123DEFG", issuerId: Self.issuer, bundleId: "com.example.refunds", key: Self.key)
    #expect(fault(maker.token(now: Self.now * 1000).authorization) == nil)
  }

  private func fault(_ value: String) -> String? {
    switch judge.judge(["Authorization": value], now: Self.now * 1000) {
    case .good(let bundleId):
      #expect(bundleId == "com.example.refunds")
      return nil
    case .refused(let fault): return fault
    }
  }

  private static func token(
    key: ECDSAPrivateKey = key, _ change: (inout JSONObject, inout JSONObject) -> Void = { _, _ in }
  ) -> String {
    var header: JSONObject = ["alg": "ES256", "kid": "ABC123DEFG", "typ": "JWT"]
    var payload: JSONObject = [
      "iss": .string(issuer), "iat": seconds(0), "exp": seconds(300), "aud": "appstoreconnect-v1",
      "bid": "com.example.refunds",
    ]
    change(&header, &payload)
    let identity = SigningIdentity(header: JSONValue.object(header).bytes(), certificates: [], key: key)
    return String(decoding: identity.sign(JSONValue.object(payload).bytes()), as: UTF8.self)
  }
}

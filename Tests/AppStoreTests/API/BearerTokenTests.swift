import AppStore
import Cryptography
import JSON
import TestSupport
import Testing

@Suite("A bearer token") struct BearerTokenTests {
  let key = ECDSAPrivateKey.generate()

  private var vector: JSONView {
    get throws {
      try JSONDocument(bytes: try #require(Project.bytes("\(Project.vectors)/http/api-token.json"))).root
    }
  }

  private func maker() throws -> BearerTokenMaker {
    let inputs = try #require(try vector["inputs"])
    return try BearerTokenMaker(
      keyId: try #require(inputs["keyId"]?.string), issuerId: try #require(inputs["issuerId"]?.string),
      bundleId: try #require(inputs["bundleId"]?.string), key: key)
  }

  private func parts(_ token: BearerToken) throws -> [[UInt8]] {
    try token.text.split(separator: ".").map { part in
      let decoded = try #require(Base64URL.decode(part))
      #expect(decoded.isCanonical)
      return decoded.bytes
    }
  }

  @Test("has the members and rules of the vector") func members() throws {
    let now = try #require(try vector["inputs"]?["now"]?.int64)
    let token = try maker().token(now: now * 1000)
    let parts = try parts(token)
    #expect(parts.count == 3)
    #expect(try JSONValue(bytes: parts[0]) == JSONValue(try #require(try vector["header"])))
    let payload = try JSONDocument(bytes: parts[1]).root
    for name in ["iss", "aud", "bid"] {
      #expect(payload[name]?.string == (try vector["payload"]?[name]?.string))
    }
    let issued = try #require(payload["iat"]?.int64)
    let expires = try #require(payload["exp"]?.int64)
    // Refused row j05: milliseconds. j01: more than an hour.
    #expect(issued == now - 30)
    #expect(expires == issued + 300)
    #expect(expires > now)
    #expect(token.issuedAt == issued)
    #expect(token.expiresAt == expires)
    #expect(payload.members?.count == 5)
  }

  @Test("is signed with 64 raw bytes by the key") func signature() throws {
    let token = try maker().token(now: 1_796_000_000_000)
    let signature = try parts(token)[2]
    // Refused row j04: DER.
    #expect(signature.count == 64)
    let signed = try #require(token.text.lastIndex(of: ".")).utf16Offset(in: token.text)
    #expect(key.publicKey.isValid(signature, for: Array(token.text.utf8.prefix(signed))))
  }

  @Test("is new for every call and bears the word Bearer") func fresh() throws {
    let maker = try maker()
    let first = maker.token(now: 1_796_000_000_000)
    #expect(first.text != maker.token(now: 1_796_000_000_000).text)
    // Refused row j06.
    #expect(first.authorization == "Bearer " + first.text)
  }

  @Test("is made for the app of its maker alone") func bundle() throws {
    // Refused row j02: the bundle id is the maker's and can be given nowhere else.
    let payload = try JSONDocument(bytes: try parts(try maker().token(now: 1_796_000_000_000))[1]).root
    #expect(payload["bid"]?.string == (try maker().bundleId))
  }

  @Test("does not show itself when printed") func printing() throws {
    let token = try maker().token(now: 1_796_000_000_000)
    var dumped = "\(token)"
    dump(token, to: &dumped)
    dump(try maker(), to: &dumped)
    #expect(!dumped.contains(token.text.suffix(40)))
    #expect(!dumped.contains("0x"))
  }

  @Test("cannot be made with settings of a wrong form") func settings() {
    let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    func failure(
      _ keyId: String = "ABC123DEFG", _ issuerId: String = issuer, _ bundleId: String = "com.example.app",
      _ key: ECDSAPrivateKey? = nil
    ) -> BearerTokenError? {
      do throws(BearerTokenError) {
        _ = try BearerTokenMaker(keyId: keyId, issuerId: issuerId, bundleId: bundleId, key: key ?? self.key)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure() == nil)
    for keyId in ["", "ABC 123", "AB\"C", String(repeating: "A", count: 65)] { #expect(failure(keyId) == .keyId) }
    for other in ["", "x", issuer + "0", issuer.replacing("-", with: ""), "57246542-96fe-1a63-e053-0824d011072g"] {
      #expect(failure("A", other) == .issuerId)
    }
    for bundleId in ["", "com example", "com.example\n", String(repeating: "a", count: 256)] {
      #expect(failure("A", issuer, bundleId) == .bundleId)
    }
    // Of refused row j03 only this much can be seen: a key on another curve.
    #expect(failure("A", issuer, "a", .generate(.p384)) == .keyCurve)
  }
}

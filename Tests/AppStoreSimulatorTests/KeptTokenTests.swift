import AppStore
import JSON
import Testing

@testable import AppStoreSimulator

@Suite("A token kept for the history") struct KeptTokenTests {
  @Test("is the same to the byte, and takes a part of the room") func whole() throws {
    let authority = StandInAuthority(
      name: "Test", notBefore: StoreIdentity.notBefore, notAfter: StoreIdentity.notAfter)
    let signing = authority.leaf(
      name: "Test Signing", notBefore: StoreIdentity.notBefore, notAfter: StoreIdentity.notAfter)
    func text(_ bytes: [UInt8]) -> JSONValue { .string(String(decoding: bytes, as: UTF8.self)) }
    let inner = text(signing.sign(Array(#"{"transactionId":"1"}"#.utf8)))
    let payloads: [JSONValue] = [
      [:], ["data": ["signedTransactionInfo": inner, "signedRenewalInfo": inner, "other": "é\u{0}"]],
    ]
    for payload in payloads {
      let token = signing.sign(payload.bytes())
      let kept = try #require(KeptToken(token))
      #expect(kept.token == token)
      #expect(kept.bytes < 500)
    }
  }

  @Test("is none where it has another form", arguments: ["", "a.b", "a.b.c.d", "a.!.c"]) func none(text: String) {
    #expect(KeptToken(Array(text.utf8)) == nil)
  }

  @Test("goes when there are too many") func bound() throws {
    let token = try #require(KeptToken(Array("aa.e30.cc".utf8)))
    var tokens = KeptTokens(max: 2)
    for number in [5, 6, 9] { tokens.keep(token, number: number) }
    #expect(tokens[5] == nil && tokens[6] != nil && tokens[9] != nil)
  }
}

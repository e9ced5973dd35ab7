import Cryptography
import Testing

@Suite("SHA-256") struct SHA256Tests {
  @Test(
    "gives the published digests",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func published(text: String, hex: String) {
    #expect(SHA256.digest(of: text.utf8).hex == hex)
    var parts = SHA256()
    for byte in text.utf8 { parts.update([byte]) }
    parts.update([])
    #expect(parts.finish().hex == hex)
  }

  @Test("comes back from its bytes, and from 32 bytes only") func bytes() {
    let digest = SHA256.digest(of: [1, 2, 3])
    #expect(SHA256Digest(bytes: digest.bytes) == digest)
    #expect(SHA256Digest(bytes: digest.bytes.dropLast()) == nil)
    #expect(SHA256.digest(of: [1, 2, 4]) != digest)
  }
}

@Suite("HMAC-SHA-256") struct HMACTests {
  @Test(
    "gives the codes of RFC 4231",
    arguments: [
      (
        [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func published(key: [UInt8], message: [UInt8], hex: String) throws {
    #expect(Hex.encode(HMACSHA256.code(of: message, key: key)) == hex)
    let code = try #require(Hex.decode(hex))
    #expect(HMACSHA256.isValid(code, for: message, key: key))
    #expect(!HMACSHA256.isValid(code.dropLast(), for: message, key: key))
    #expect(!HMACSHA256.isValid(code, for: message + [0], key: key))
  }

  @Test("takes an empty key and an empty message") func empty() {
    let hex = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    #expect(Hex.encode(HMACSHA256.code(of: [], key: [])) == hex)
    _ = HMACSHA256.code(of: [1], key: [9])
    #expect(Hex.encode(HMACSHA256.code(of: [], key: [])) == hex)
  }
}

@Suite("Secrets") struct SecretTests {
  @Test("are equal when all bytes are") func constantTime() {
    #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
    #expect(ConstantTime.equal([], []))
  }

  @Test("are random") func random() {
    #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    #expect(SecureRandom.bytes(0).isEmpty)
    let uuid = SecureRandom.uuid()
    #expect(uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }
}

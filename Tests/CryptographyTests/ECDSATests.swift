import Cryptography
import Testing

@Suite("An ECDSA key") struct ECDSATests {
  @Test("checks what it signed and nothing else", arguments: [ECDSACurve.p256, .p384])
  func roundTrip(curve: ECDSACurve) {
    let key = ECDSAPrivateKey.generate(curve)
    let message = Array("header.payload".utf8)
    let signature = key.signature(for: message)
    #expect(signature.count == (curve == .p256 ? 64 : 96))
    #expect(key.publicKey.isValid(signature, for: message))
    #expect(!key.publicKey.isValid(signature, for: message + [0]))
    #expect(!ECDSAPrivateKey.generate(curve).publicKey.isValid(signature, for: message))
    #expect(!key.publicKey.isValid(signature.dropLast(), for: message))
    #expect(!key.publicKey.isValid(signature + [0], for: message))
    #expect(!key.publicKey.isValid([UInt8](repeating: 0, count: signature.count), for: message))
    #expect(!key.publicKey.isValid([], for: message))
    for bit in stride(from: 0, to: signature.count * 8, by: 37) {
      var wrong = signature
      wrong[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.publicKey.isValid(wrong, for: message))
    }
  }

  @Test("checks thousands of signatures, among them those with short numbers")
  func leadingZeros() {
    let key = ECDSAPrivateKey.generate()
    let publicKey = key.publicKey
    var short = 0
    for round in 0..<1200 {
      let message = Array("message \(round)".utf8)
      let signature = key.signature(for: message)
      if signature[0] == 0 || signature[32] == 0 { short += 1 }
      #expect(publicKey.isValid(signature, for: message))
    }
    #expect(short > 0)
  }

  @Test("accepts the signature of RFC 7515 A.3") func published() throws {
    // The point of the example key behind the fixed head of a P-256 SubjectPublicKeyInfo, as a certificate would hold it.
    let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")).bytes
    let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")).bytes
    let signature = try #require(
      Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    ).bytes
    let head = try #require(Hex.decode("3059301306072a8648ce3d020106082a8648ce3d03010703420004"))
    let key = try ECDSAPublicKey(der: head + x + y)
    let message =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    #expect(key.isValid(signature, for: message.utf8))
  }

  @Test("is written as PKCS#8 and read back") func pem() throws {
    let key = ECDSAPrivateKey.generate()
    #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let again = try ECDSAPrivateKey(pem: key.pem)
    #expect(again.publicKey.der == key.publicKey.der)
    #expect(key.publicKey.isValid(again.signature(for: [1]), for: [1]))
    #expect(key.publicKey.pem.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
  }

  @Test("does not show itself when printed") func printing() {
    let key = ECDSAPrivateKey.generate()
    #expect("\(key)" == "private key on p256")
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.contains("0x"))
  }

  @Test("is refused with a reason when it is none") func refused() {
    #expect(throws: PrivateKeyError.notP256(found: "secp384r1")) {
      try ECDSAPrivateKey(pem: ECDSAPrivateKey.generate(.p384).pem)
    }
    let limit = ECDSAPrivateKey.fileBytesMax
    #expect(throws: PrivateKeyError.tooLarge(bytes: limit + 1, limit: limit)) {
      try ECDSAPrivateKey(pem: [UInt8](repeating: 65, count: limit + 1))
    }
    for text in [
      "", "hello", ECDSAPrivateKey.generate().publicKey.pem, String(ECDSAPrivateKey.generate().pem.dropLast(60)),
    ] {
      #expect {
        try ECDSAPrivateKey(pem: text)
      } throws: { error in
        guard case .notPKCS8 = error as? PrivateKeyError else { return false }
        return "\(error)".contains("BEGIN PRIVATE KEY")
      }
    }
  }
}

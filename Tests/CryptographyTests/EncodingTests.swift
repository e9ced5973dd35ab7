import Cryptography
import Testing

@Suite("Base 64") struct Base64Tests {
  @Test(
    "gives the texts of RFC 4648 §10 and reads them back",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func published(plain: String, text: String) {
    #expect(Base64.encode(plain.utf8) == text)
    #expect(Base64.decode(text) == Array(plain.utf8))
    let short = text.replacing("=", with: "")
    #expect(Base64URL.encode(plain.utf8) == short)
    #expect(Base64URL.decode(short)?.bytes == Array(plain.utf8))
    #expect(Base64URL.decode(short)?.isCanonical == true)
  }

  @Test(
    "refuses every other text for the same bytes",
    arguments: [
      "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8=\n", "Zm\n8=", "Zm 8", "=", "====", "Z===", "Zg==Zg==", "Zm9v\r\n",
      "-_-_",
      "Zm9v*", "Zm=v", "é", "Zm9\u{0}",
    ])
  func strict(text: String) { #expect(Base64.decode(text) == nil) }

  @Test(
    "for URLs refuses padding, blanks and the other alphabet",
    arguments: ["Zg==", "Zm8=", "Z", "Zm9vY", "+/+/", "Zm8\n"])
  func strictURL(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test("for URLs tells a text with spare bits", arguments: [("Zh", "f"), ("Zm9", "fo"), ("Zm9vYm9", "foobo")])
  func spareBits(text: String, plain: String) throws {
    let decoded = try #require(Base64URL.decode(text))
    #expect(decoded.bytes == Array(plain.utf8))
    #expect(decoded.isCanonical == false)
  }

  @Test("brings back random bytes of every length", arguments: 0...70)
  func roundTrip(count: Int) {
    let bytes = SecureRandom.bytes(count)
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    #expect(Base64URL.decode(Base64URL.encodeBytes(bytes))?.bytes == bytes)
    #expect(Base64URL.decode(Base64URL.encodeBytes(bytes)[...])?.isCanonical == true)
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
  }

  @Test("refuses each byte outside its alphabet at every place of a group")
  func alphabet() {
    let standard = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for byte in UInt8.min...UInt8.max where !standard.contains(byte) {
      for place in 0..<4 where !(byte == UInt8(ascii: "=") && place == 3) {
        var text = Array("AAAA".utf8)
        text[place] = byte
        #expect(Base64.decode(text) == nil)
      }
    }
  }
}

@Suite("Hex") struct HexTests {
  @Test("is lower case, and reads either case") func cases() {
    #expect(Hex.encode([0x00, 0xab, 0xff]) == "00abff")
    #expect(Hex.decode("00ABff") == [0x00, 0xab, 0xff])
    #expect(Hex.decode("0") == nil)
    #expect(Hex.decode("0g") == nil)
  }
}

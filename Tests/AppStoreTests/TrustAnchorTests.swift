import AppStore
import Cryptography
import TestSupport
import Testing

@Suite("A trust anchor") struct TrustAnchorTests {
  @Test("of Apple is built in with the published fingerprint") func builtIn() throws {
    let anchor = try TrustAnchor.appleRootCAG3()
    #expect(
      anchor.certificate.fingerprint.hex == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
    #expect(
      anchor.summary
        == "trust anchor: CN = Apple Root CA - G3, OU = Apple Certification Authority, O = Apple Inc., C = US; "
        + "SHA-256 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179; "
        + "valid until 2039-04-30T18:19:06.000Z; built in")
  }

  @Test("is read from DER and from PEM") func formats() throws {
    let path = "\(Project.vectors)/certs/derived/root.der"
    let fromFile = try TrustAnchor(path: path)
    let pem = Array(fromFile.certificate.pem.utf8)
    #expect(try TrustAnchor(file: pem, source: "x").certificate == fromFile.certificate)
    #expect(try TrustAnchor(file: Array("comment\n".utf8) + pem, source: "x").certificate == fromFile.certificate)
    #expect(fromFile.source == path)
  }

  @Test("that does not parse names its file and says why") func faults() throws {
    let der = try #require(Project.bytes("\(Project.vectors)/certs/derived/root.der"))
    let leaf = try #require(Project.bytes("\(Project.vectors)/certs/derived/leaf.der"))
    let pem = Array(try Certificate(der: der).pem.utf8)
    func failure(_ bytes: [UInt8]) -> TrustAnchorError? {
      do throws(TrustAnchorError) {
        _ = try TrustAnchor(file: bytes, source: "roots/apple.cer")
        return nil
      } catch {
        return error
      }
    }
    let rows: [[UInt8]] = [
      [], Array(der.dropLast(10)), der + [0], Array("hello".utf8), Array(pem.dropLast(60)), pem + pem, leaf,
    ]
    for bytes in rows {
      let found = try #require(failure(bytes))
      #expect("\(found)".hasPrefix("trust anchor roots/apple.cer "))
    }
    #expect(failure(pem + pem) == .severalCertificates(source: "roots/apple.cer", count: 2))
    #expect(failure(der + [0]) == .notCertificate(source: "roots/apple.cer", reason: .trailingBytes(count: 1)))
    let limit = TrustAnchor.fileBytesMax
    #expect(
      failure([UInt8](repeating: 48, count: limit + 1))
        == .tooLarge(source: "roots/apple.cer", bytes: limit + 1, limit: limit))
    #expect(throws: TrustAnchorError.unreadable(source: "/nowhere/x.cer", reason: "No such file or directory")) {
      try TrustAnchor(path: "/nowhere/x.cer")
    }
    #expect(throws: TrustAnchorError.self) { try TrustAnchor(path: "/") }
  }
}

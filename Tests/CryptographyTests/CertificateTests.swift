import Cryptography
import TestSupport
import Testing

@Suite("A certificate") struct CertificateTests {
  static func vector(_ name: String) throws -> [UInt8] {
    try #require(Project.bytes("\(Project.vectors)/certs/derived/\(name).der"))
  }

  @Test("tells subject, dates, key and marker") func parts() throws {
    let leaf = try Certificate(der: Self.vector("leaf"))
    #expect(leaf.subject == "CN = Vector Receipt Signing A, O = Conformance Vectors, C = US")
    #expect(leaf.notBefore == 1_748_736_000_000)
    #expect(leaf.notAfter == 2_335_219_200_000)
    #expect(leaf.isP256)
    #expect(!leaf.isAuthority)
    #expect(leaf.hasExtension("1.2.840.113635.100.6.11.1"))
    #expect(!leaf.hasExtension("1.2.840.113635.100.6.2.1"))
    #expect(!leaf.hasExtension("not a number"))
    let root = try Certificate(der: Self.vector("root"))
    #expect(!root.isP256)
    #expect(root.publicKey?.curve == .p384)
    #expect(root.isAuthority)
    #expect(root.fingerprint == SHA256.digest(of: try Self.vector("root")))
    #expect(try Certificate(pem: root.pem.utf8) == root)
  }

  @Test("is refused when a byte is missing, added or changed in its frame") func exact() throws {
    let der = try Self.vector("leaf")
    #expect(throws: CertificateParseError.empty) { try Certificate(der: []) }
    #expect(throws: CertificateParseError.trailingBytes(count: 1)) { try Certificate(der: der + [0]) }
    #expect(throws: CertificateParseError.self) { try Certificate(der: der.dropLast()) }
    #expect(throws: CertificateParseError.self) { try Certificate(der: Array("hello".utf8)) }
    #expect(throws: CertificateParseError.self) { try Certificate(pem: Array("hello".utf8)) }
    #expect(throws: CertificateParseError.self) { try Certificate(pem: der) }
    let limit = Certificate.bytesMax
    #expect(throws: CertificateParseError.tooLarge(bytes: limit + 1, limit: limit)) {
      try Certificate(der: [UInt8](repeating: 0x30, count: limit + 1))
    }
    // A longer form of the outer length says the same in BER and is forbidden in DER.
    #expect(der[1] == 0x82)
    #expect(throws: CertificateParseError.self) { try Certificate(der: [0x30, 0x83, 0x00] + der[2...]) }
  }

  @Test("never brings the process down, however it is cut or changed") func hostile() throws {
    let der = try Self.vector("intermediate")
    for count in stride(from: 0, to: der.count, by: 7) { _ = try? Certificate(der: der.prefix(count)) }
    for place in der.indices {
      var changed = der
      changed[place] ^= 0x40
      if let certificate = try? Certificate(der: changed) {
        _ = certificate.subject
        _ = certificate.publicKey
        _ = certificate.isAuthority
      }
    }
  }

  @Test("is valid from the first second of its dates to the end of the last") func dates() throws {
    let leaf = try Certificate(der: Self.vector("leaf"))
    #expect(!leaf.isValid(at: leaf.notBefore - 1))
    #expect(leaf.isValid(at: leaf.notBefore))
    #expect(leaf.isValid(at: leaf.notAfter + 999))
    #expect(!leaf.isValid(at: leaf.notAfter + 1000))
    #expect(!leaf.isValid(at: .min))
    #expect(!leaf.isValid(at: .max))
  }
}

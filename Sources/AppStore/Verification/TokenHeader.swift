import Cryptography
import JSON

/// The protected header of a token, read strictly: `alg` ES256 and three certificates. Other members are ignored,
/// except `crit`, which demands that its reader knows what it names (RFC 7515 §4.1.11), and nothing is named here.
struct TokenHeader {
  /// Leaf, intermediate and what the sender offers as root, in DER.
  let certificates: [[UInt8]]

  private static let limits = JSONLimits(bytesMax: 65_536, depthMax: 8, nodesMax: 512)

  /// - Parameter trace: takes the steps; `header` has been begun.
  init(_ bytes: [UInt8], trace: VerificationTrace? = nil) throws(VerificationRefusal) {
    let document: JSONDocument
    do {
      document = try JSONDocument(bytes: bytes, limits: Self.limits)
    } catch {
      throw VerificationRefusal(
        .format, "the header is not JSON as RFC 8259 wants it (line \(error.line), column \(error.column))")
    }
    let header = document.root
    guard header.kind == .object else { throw VerificationRefusal(.format, "the header is not a JSON object") }
    guard header["crit"] == nil else {
      throw VerificationRefusal(.format, "the header names extensions that must be understood (crit); none is")
    }
    trace?.pass("one JSON object of \(bytes.count) bytes; no crit")
    trace?.begin(.algorithm)
    guard header["alg"]?.string == "ES256" else {
      throw VerificationRefusal(.algorithm, "alg must be exactly ES256")
    }
    trace?.pass("alg is ES256")
    trace?.begin(.certificates)
    guard let entries = header["x5c"]?.elements, entries.count == 3 else {
      let found = header["x5c"]?.elements.map { "\($0.count) entries" } ?? "no list"
      throw VerificationRefusal(.chainLength, "x5c must list three certificates, there is \(found)")
    }
    var certificates: [[UInt8]] = []
    for (index, entry) in entries.enumerated() {
      guard let text = entry.stringBytes, let der = Base64.decode(text) else {
        throw VerificationRefusal(
          .certificateDecode, "entry \(index + 1) of x5c is not base 64 (standard alphabet, padded, no line breaks)")
      }
      certificates.append(der)
    }
    self.certificates = certificates
  }
}

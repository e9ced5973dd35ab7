public import Cryptography
import Service

/// A chain that leads from Apple's receipt signing to a trust anchor, marks and key checked, whatever the date.
public struct StoreChain: Sendable {
  /// Apple's mark on leaves that sign receipts and notifications.
  public static let leafMark = "1.2.840.113635.100.6.11.1"
  /// Apple's mark on its developer intermediates.
  public static let intermediateMark = "1.2.840.113635.100.6.2.1"

  public let path: CertificateChain
  public let leafKey: ECDSAPublicKey

  /// - Parameters:
  ///   - certificates: leaf, intermediate, and what the sender offers as root, in DER. The third must be a
  ///     certificate, and that is all: it is neither trusted nor compared, as Apple signs its root anew at times.
  ///   - anchors: what is trusted.
  ///   - trace: takes the steps; `certificates` has been begun.
  init(
    certificates: [[UInt8]], anchors: [Certificate], trace: VerificationTrace? = nil
  ) throws(VerificationRefusal) {
    guard certificates.count == 3 else {
      throw VerificationRefusal(
        .chainLength, "a chain has three certificates, there is \(certificates.count) of them")
    }
    let leaf = try Self.parse(certificates[0], place: 1)
    trace?.note(leaf)
    let intermediate = try Self.parse(certificates[1], place: 2)
    trace?.note(intermediate)
    let offered = try Self.checkOffered(root: certificates[2])
    trace?.note(offered)
    trace?.pass("x5c lists three certificates")
    trace?.begin(.chain)
    do {
      path = try CertificateChain(leaf: leaf, intermediate: intermediate, anchors: anchors)
    } catch {
      throw VerificationRefusal(.chain, error.description)
    }
    trace?.pass("leaf and intermediate lead to the trust anchor \(path.anchor.subject)")
    trace?.begin(.marks)
    guard leaf.hasExtension(Self.leafMark) else {
      throw VerificationRefusal(.leafOID, "the leaf lacks the extension \(Self.leafMark)")
    }
    guard intermediate.hasExtension(Self.intermediateMark) else {
      throw VerificationRefusal(.intermediateOID, "the intermediate lacks the extension \(Self.intermediateMark)")
    }
    guard let key = leaf.publicKey, key.curve == .p256 else {
      throw VerificationRefusal(.keyType, "the leaf's key is not on P-256, as ES256 needs")
    }
    leafKey = key
    trace?.pass("the leaf carries \(Self.leafMark), the intermediate \(Self.intermediateMark); the key is on P-256")
  }

  /// The third certificate must be one, and that is all.
  @discardableResult
  static func checkOffered(root der: [UInt8]) throws(VerificationRefusal) -> Certificate { try parse(der, place: 3) }

  private static func parse(_ der: [UInt8], place: Int) throws(VerificationRefusal) -> Certificate {
    do {
      return try Certificate(der: der)
    } catch {
      throw VerificationRefusal(.certificateDecode, "certificate \(place) of 3: \(error)")
    }
  }

  /// - Throws: `VALIDITY` naming the certificate and its dates.
  func judge(at milliseconds: Int64) throws(VerificationRefusal) {
    do {
      try path.judge(at: milliseconds)
    } catch {
      guard case .validity(let place, let notBefore, let notAfter, let at) = error else {
        throw VerificationRefusal(.chain, error.description)
      }
      throw VerificationRefusal(
        .validity,
        "the \(place.rawValue) certificate is valid from \(RFC3339.text(notBefore)) to \(RFC3339.text(notAfter)), "
          + "judged at \(RFC3339.text(at))")
    }
  }
}

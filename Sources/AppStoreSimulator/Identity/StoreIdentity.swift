public import AppStore
public import Cryptography
import Glibc
import Service

/// Who the simulator is: a chain shaped like Apple's that signs notifications, and the key pair whose private half the
/// responder signs its bearer tokens with. Made once in the data folder and kept over restarts.
///
/// The keys of root and intermediate are thrown away once the leaf is signed: nobody can issue more under that root.
public struct StoreIdentity: Sendable {
  /// First instant of validity of every certificate, 2020-01-01, milliseconds since 1970 UTC: before any test clock.
  public static let notBefore: Int64 = 1_577_836_800_000
  /// Last one, 2099-12-31: after any.
  public static let notAfter: Int64 = 4_102_358_400_000

  public let root: Certificate
  public let signing: SigningIdentity
  /// Checks bearer tokens.
  public let apiKey: ECDSAPublicKey
  private let folder: String

  /// The root as a certificate file, for the receiver.
  public var rootPath: String { "\(folder)/root.pem" }
  /// The responder's key, as App Store Connect would give it out.
  public var apiKeyPath: String { "\(folder)/api-key.p8" }

  /// Reads what the folder holds, and makes what is not there.
  public init(folder: String) throws(StoreIdentityError) {
    self.folder = folder
    do {
      try Files.makeFolder(folder)
      // The root is written last, so its presence says that the rest is complete.
      if !Self.exists("\(folder)/root.der") { try Self.makeChain(in: folder) }
      root = try Self.certificate("\(folder)/root.der")
      if !Self.exists("\(folder)/root.pem") {
        try Files.write(Array(root.pem.utf8), to: "\(folder)/root.pem", mode: 0o644)
      }
      let leaf = try Self.certificate("\(folder)/leaf.der")
      let intermediate = try Self.certificate("\(folder)/intermediate.der")
      let key = try Self.key("\(folder)/signing-key.p8")
      guard let certified = leaf.publicKey, certified.der == key.publicKey.der else {
        throw StoreIdentityError.damaged(path: "\(folder)/signing-key.p8", reason: "it is not the key of leaf.der")
      }
      signing = SigningIdentity(certificates: [leaf, intermediate, root], key: key)
      if !Self.exists("\(folder)/api-key.p8") {
        try Files.write(Array(ECDSAPrivateKey.generate().pem.utf8), to: "\(folder)/api-key.p8", mode: 0o600)
      }
      apiKey = try Self.key("\(folder)/api-key.p8").publicKey
    } catch let error as FileError {
      throw .file(reason: error.description)
    } catch let error as StoreIdentityError {
      throw error
    } catch {
      preconditionFailure("no other error is thrown above: \(error)")
    }
  }

  private static func makeChain(in folder: String) throws(FileError) {
    let authority = StandInAuthority(name: "App Store Simulator", notBefore: notBefore, notAfter: notAfter)
    let signing = authority.leaf(
      name: "App Store Simulator Receipt Signing", notBefore: notBefore, notAfter: notAfter)
    try Files.write(Array(signing.key.pem.utf8), to: "\(folder)/signing-key.p8", mode: 0o600)
    try Files.write(signing.certificates[0].der, to: "\(folder)/leaf.der", mode: 0o644)
    try Files.write(signing.certificates[1].der, to: "\(folder)/intermediate.der", mode: 0o644)
    try Files.write(Array(authority.root.pem.utf8), to: "\(folder)/root.pem", mode: 0o644)
    try Files.write(authority.root.der, to: "\(folder)/root.der", mode: 0o644)
  }

  // A file that is there and cannot be read is a fault to report, never one to write over.
  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func certificate(_ path: String) throws -> Certificate {
    let bytes = try Files.read(path, bytesMax: Certificate.bytesMax)
    do { return try Certificate(der: bytes) } catch {
      throw StoreIdentityError.damaged(path: path, reason: "\(error)")
    }
  }

  private static func key(_ path: String) throws -> ECDSAPrivateKey {
    let bytes = try Files.read(path, bytesMax: ECDSAPrivateKey.fileBytesMax)
    do { return try ECDSAPrivateKey(pem: bytes) } catch {
      throw StoreIdentityError.damaged(path: path, reason: "\(error)")
    }
  }
}

import AppStore
import Cryptography
import Glibc
import JSON
import TestSupport
import Testing

@testable import AppStoreSimulator

@Suite("The simulator's certificates and key") struct StoreIdentityTests {
  @Test(
    "are accepted by the verifier with its root, early and late", arguments: [1_577_836_800_000, 2_524_608_000_000])
  func chain(instant: Int64) throws {
    let folder = TemporaryFolder()
    let identity = try StoreIdentity(folder: folder.path + "/new/data")
    let verifier = SignedDataVerifier(anchors: [try TrustAnchor(path: identity.rootPath)])
    let chain = identity.signing.certificates
    _ = try verifier.verifyChain(chain.map(\.der), at: instant)
    #expect(chain[0].isP256 && chain[0].hasExtension("1.2.840.113635.100.6.11.1"))
    #expect(chain[1].publicKey?.curve == .p384 && chain[1].hasExtension("1.2.840.113635.100.6.2.1"))
    #expect(identity.root.publicKey?.curve == .p384)
    let ofDER = try TrustAnchor(path: folder.path + "/new/data/root.der")
    #expect(ofDER.certificate == identity.root)
  }

  @Test("stay the same over a restart") func restart() throws {
    let folder = TemporaryFolder()
    let first = try StoreIdentity(folder: folder.path)
    let second = try StoreIdentity(folder: folder.path)
    #expect(first.root == second.root && first.apiKey.der == second.apiKey.der)
    #expect(first.signing.certificates == second.signing.certificates)
    let signed = second.signing.key.signature(for: [1, 2, 3])
    #expect(first.signing.certificates[0].publicKey!.isValid(signed, for: [1, 2, 3]))
  }

  @Test("come with keys that only their owner may read", arguments: ["api-key.p8", "signing-key.p8"])
  func modes(name: String) throws {
    let folder = TemporaryFolder()
    _ = try StoreIdentity(folder: folder.path)
    var status = stat()
    #expect(stat("\(folder.path)/\(name)", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test(
    "with one file lost or changed stop the start and are not made anew",
    arguments: [
      "leaf.der", "intermediate.der", "signing-key.p8",
    ])
  func damaged(name: String) throws {
    let folder = TemporaryFolder()
    let root = try StoreIdentity(folder: folder.path).root
    let path = "\(folder.path)/\(name)"
    for damage in [Array(ECDSAPrivateKey.generate().pem.utf8), nil] {
      unlink(path)
      if let damage { write(damage, to: path) }
      let error = #expect(throws: StoreIdentityError.self) { try StoreIdentity(folder: folder.path) }
      #expect(error?.description.contains(name) == true)
    }
    #expect(Project.bytes(folder.path + "/root.der") == root.der)
  }

  @Test("are made again where making them was cut off before the root") func cutOff() throws {
    let folder = TemporaryFolder()
    _ = try StoreIdentity(folder: folder.path)
    unlink(folder.path + "/root.der")
    unlink(folder.path + "/leaf.der")
    let identity = try StoreIdentity(folder: folder.path)
    let verifier = SignedDataVerifier(anchors: [try TrustAnchor(path: identity.rootPath)])
    _ = try verifier.verifyChain(identity.signing.certificates.map(\.der), at: 1_796_000_000_000)
  }

  private func write(_ bytes: [UInt8], to path: String) {
    let file = fopen(path, "w")!
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

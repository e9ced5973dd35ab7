/// Why a text is no private key that can sign here. Says nothing of the key itself.
public enum PrivateKeyError: Error, Equatable, CustomStringConvertible {
  /// More bytes than a key file can have.
  case tooLarge(bytes: Int, limit: Int)
  /// No PKCS#8 block, or one that is damaged.
  case notPKCS8(reason: String)
  /// A key, but not on P-256; `found` is the curve, or «another kind».
  case notP256(found: String)

  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit):
      "the key file has \(bytes) bytes, a key has at most \(limit): point the setting at the .p8 file itself"
    case .notPKCS8(let reason):
      "no unencrypted PKCS#8 key was found (\(reason)): the file must begin with -----BEGIN PRIVATE KEY-----, as "
        + "downloaded from App Store Connect"
    case .notP256(let found):
      "the key is on \(found), ES256 needs P-256: use the In-App Purchase key from App Store Connect"
    }
  }
}

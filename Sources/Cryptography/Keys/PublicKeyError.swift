/// Why bytes are no public key that can be used here.
public enum PublicKeyError: Error, Equatable, CustomStringConvertible {
  case notDER(reason: String)
  case unknownCurve(found: String)

  public var description: String {
    switch self {
    case .notDER(let reason): "not a public key in DER (\(reason))"
    case .unknownCurve(let found): "the key is on \(found); P-256 and P-384 are known"
    }
  }
}

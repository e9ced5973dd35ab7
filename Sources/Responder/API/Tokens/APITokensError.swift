/// Why the tokens were not changed or read.
public enum APITokensError: Error, Equatable, Sendable, CustomStringConvertible {
  case nameInvalid
  /// Events would not tell who showed it.
  case nameReserved(String)
  case nameTaken(String)
  case noScopes
  case bundleIDInvalid(String)
  case tooMany(Int)
  case absent(String)
  case store(String)

  public var description: String {
    switch self {
    case .nameInvalid: "a token's name is 1 to 64 letters, digits, dots, hyphens or underscores"
    case .nameReserved(let name): "\(name) is the name of the settings' token: take another"
    case .nameTaken(let name): "there is a token named \(name) already: remove it first, or take another name"
    case .noScopes: "a token needs a scope: backend, support, read or operate"
    case .bundleIDInvalid(let id): "\(id.prefix(80)) is no bundle id"
    case .tooMany(let max): "there are \(max) tokens in force, and no more are kept: remove some"
    case .absent(let name): "no token named \(name.prefix(80)) is in force"
    case .store(let why): "the tokens cannot be read or written: \(why)"
    }
  }
}

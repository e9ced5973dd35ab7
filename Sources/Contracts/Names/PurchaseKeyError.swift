/// Why a pair of texts names no purchase.
public enum PurchaseKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  case environment(String, allowed: String)
  case transactionID(String, allowed: String)

  public var description: String {
    switch self {
    case .environment(let found, let allowed):
      "environment \(Self.shown(found)) names none: allowed is \(allowed)"
    case .transactionID(let found, let allowed):
      "transactionId \(Self.shown(found)) names no transaction: allowed is \(allowed)"
    }
  }

  /// At most 64 characters, so that an error stays a line.
  private static func shown(_ text: String) -> String { String(reflecting: String(text.prefix(64))) }
}

/// How long the customer has had an account. Source: App Store Server API, «accountTenure» of version 1, where a border
/// stands in two rows; here it belongs to the upper one.
public enum AccountTenure: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case under3Days = 1
  case under10Days = 2
  case under30Days = 3
  case under90Days = 4
  case under180Days = 5
  case under365Days = 6
  case longer = 7

  /// - Parameter milliseconds: the account's age; below 0 it is none, and undeclared.
  public init(milliseconds: Int64) {
    let day: Int64 = 86_400_000
    self =
      switch milliseconds {
      case ..<0: .undeclared
      case ..<(3 * day): .under3Days
      case ..<(10 * day): .under10Days
      case ..<(30 * day): .under30Days
      case ..<(90 * day): .under90Days
      case ..<(180 * day): .under180Days
      case ..<(365 * day): .under365Days
      default: .longer
      }
  }
}

/// How far a purchase is used. Source: App Store Server API, «consumptionStatus» of version 1.
public enum ConsumptionStatus: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case notConsumed = 1
  case partiallyConsumed = 2
  case fullyConsumed = 3

  /// What version 2 would say as a share; nil is undeclared.
  public init(_ share: ConsumptionPercentage?) {
    self =
      switch share {
      case nil: .undeclared
      case ConsumptionPercentage.none?: .notConsumed
      case .all?: .fullyConsumed
      default: .partiallyConsumed
      }
  }
}

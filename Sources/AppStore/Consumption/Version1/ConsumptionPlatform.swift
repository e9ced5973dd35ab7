/// Where a purchase was used. Source: App Store Server API, «platform» of version 1.
public enum ConsumptionPlatform: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case apple = 1
  case other = 2
}

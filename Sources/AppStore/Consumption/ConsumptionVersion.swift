/// Which of Apple's two endpoints takes an answer; their bodies have nothing in common but the name.
public enum ConsumptionVersion: Int64, Sendable, Hashable, CaseIterable {
  /// For purchases of the Advanced Commerce API.
  case version1 = 1
  /// For all others.
  case version2 = 2
}

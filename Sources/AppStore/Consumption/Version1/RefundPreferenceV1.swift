/// What the developer would like Apple to do, as a number. Source: App Store Server API, «refundPreference» of version 1.
public enum RefundPreferenceV1: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case grant = 1
  case decline = 2
  case noPreference = 3
}

/// What the developer would like Apple to do; having no preference is saying nothing. Source: App Store Server API,
/// «refundPreference» of version 2.
public enum RefundPreference: String, Sendable, Hashable, CaseIterable {
  case decline = "DECLINE"
  case grantFull = "GRANT_FULL"
  case grantProrated = "GRANT_PRORATED"
}

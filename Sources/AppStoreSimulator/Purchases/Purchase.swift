import AppStore
import JSON

/// A purchase that the simulator knows: the members of its transaction payload, as they are signed.
struct Purchase: Equatable, Sendable {
  let transactionId: String
  var members: JSONObject
  var state = DecisionState.open

  private func text(_ key: String) -> String? { members[key]?.string }

  var productId: String? { text("productId") }
  var appTransactionId: String? { text("appTransactionId") }
  var environment: String? { text("environment") }
  var isAutoRenewable: Bool { text("type") == ProductType.autoRenewableSubscription.rawValue }
  var isFamilyShared: Bool { text("inAppOwnershipType") == OwnershipType.familyShared.rawValue }
  var isAssigned: Bool { text("inAppOwnershipType") == OwnershipType.assigned.rawValue }
  var isAdvancedCommerce: Bool { members["advancedCommerceInfo"]?.object != nil }
  var isRefunded: Bool { members["revocationDate"] != nil }
}

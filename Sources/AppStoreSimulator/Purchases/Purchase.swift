import AppStore
import JSON

/// A purchase that the simulator knows: the members of its transaction payload, as they are signed.
struct Purchase: Equatable, Sendable {
  let transactionId: String
  var members: JSONObject
  /// The app's number where a call named it: told by its notifications in place of the one in the settings.
  var appAppleId: Int64?
  var state = DecisionState.open
  /// Counts the refund requests of all purchases; tells the newest of this one from earlier ones.
  var request = 0
  /// How the newest request goes on.
  var scenario: Scenario?

  init(transactionId: String, members: JSONObject, appAppleId: Int64? = nil) {
    self.transactionId = transactionId
    self.members = members
    self.appAppleId = appAppleId
  }

  private func text(_ key: String) -> String? { members[key]?.string }

  /// The same for all periods of a subscription.
  var originalTransactionId: String { text("originalTransactionId") ?? transactionId }
  var productId: String? { text("productId") }
  var bundleId: String? { text("bundleId") }
  var appTransactionId: String? { text("appTransactionId") }
  var environment: String? { text("environment") }
  var purchaseDate: Int64? { members["purchaseDate"]?.int64 }
  var expiresDate: Int64? { members["expiresDate"]?.int64 }
  var isAutoRenewable: Bool { text("type") == ProductType.autoRenewableSubscription.rawValue }
  var isConsumable: Bool { text("type") == ProductType.consumable.rawValue }
  var isFamilyShared: Bool { text("inAppOwnershipType") == OwnershipType.familyShared.rawValue }
  var isAssigned: Bool { text("inAppOwnershipType") == OwnershipType.assigned.rawValue }
  var isAdvancedCommerce: Bool { members["advancedCommerceInfo"]?.object != nil }
  var isRefunded: Bool { members["revocationDate"] != nil }
  /// Not where a family or an organisation took it back.
  var isRefundedByApple: Bool {
    isRefunded && !["FAMILY_REVOKE", "ASSIGNMENT_REVOKE"].contains(text("revocationType") ?? "")
  }
  var revocationDate: Int64? { members["revocationDate"]?.int64 }
}

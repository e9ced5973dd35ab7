import AppStore

/// A kind of notification that can be brought about by one call: what it is about, and what may be said with it.
/// Source: App Store Server Notifications, «notificationType» and «subtype».
struct EventKind: Sendable {
  enum Subject: Sendable {
    /// A purchase of any type.
    case purchase
    /// The newest period of an auto-renewable subscription.
    case subscription
    /// No purchase.
    case app
  }

  let type: NotificationType
  /// nil stands for none.
  let subtypes: [Subtype?]
  let subject: Subject
  /// Members of the call beside those that every event has.
  var members: [String] = []

  static let all = [
    EventKind(
      type: .consumptionRequest, subtypes: [nil], subject: .purchase,
      members: ["consumptionRequestReason", "typed", "scenario"]),
    EventKind(
      type: .refund, subtypes: [nil, .seats], subject: .purchase, members: Decision.refundMembers + ["seats"]),
    EventKind(type: .refundDeclined, subtypes: [nil], subject: .purchase),
    EventKind(type: .refundReversed, subtypes: [nil], subject: .purchase),
    EventKind(type: .revoke, subtypes: [nil], subject: .purchase),
    EventKind(type: .oneTimeCharge, subtypes: [nil], subject: .purchase),
    EventKind(type: .subscribed, subtypes: [.initialBuy, .resubscribe], subject: .subscription),
    EventKind(type: .didRenew, subtypes: [nil, .billingRecovery], subject: .subscription),
    EventKind(
      type: .didChangeRenewalStatus, subtypes: [.autoRenewDisabled, .autoRenewEnabled], subject: .subscription),
    EventKind(
      type: .didChangeRenewalPref, subtypes: [.upgrade, .downgrade], subject: .subscription,
      members: ["productId", "price"]),
    EventKind(type: .didFailToRenew, subtypes: [nil, .gracePeriod], subject: .subscription),
    EventKind(type: .gracePeriodExpired, subtypes: [nil], subject: .subscription),
    EventKind(
      type: .expired, subtypes: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale, nil],
      subject: .subscription),
    EventKind(
      type: .offerRedeemed, subtypes: [nil, .upgrade, .downgrade], subject: .subscription,
      members: ["productId", "price", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod"]),
    EventKind(type: .priceIncrease, subtypes: [.pending, .accepted], subject: .subscription, members: ["price"]),
    EventKind(type: .priceChange, subtypes: [nil], subject: .subscription, members: ["price"]),
    EventKind(type: .renewalExtended, subtypes: [nil], subject: .subscription, members: ["days"]),
    EventKind(type: .metadataUpdate, subtypes: [nil], subject: .subscription),
    EventKind(type: .migration, subtypes: [nil], subject: .subscription),
    // FAILURE is about one subscription, SUMMARY about all of them: see `of`.
    EventKind(type: .renewalExtension, subtypes: [.failure], subject: .subscription),
    EventKind(
      type: .renewalExtension, subtypes: [.summary], subject: .app,
      members: ["productId", "succeededCount", "failedCount"]),
    EventKind(type: .test, subtypes: [nil], subject: .app),
    EventKind(type: .rescindConsent, subtypes: [nil], subject: .app, members: ["appTransactionId"]),
    EventKind(type: .unclaimSeats, subtypes: [nil], subject: .app, members: ["unclaimSeatIds"]),
    EventKind(
      type: .externalPurchaseToken, subtypes: [.created, .activeTokenReminder, .unreported], subject: .app,
      members: ["externalPurchaseId"]),
  ]

  /// The kind that two words name.
  static func of(type: String, subtype: String?) throws(ControlError) -> EventKind {
    let ofType = all.filter { $0.type.rawValue == type }
    guard !ofType.isEmpty else {
      var names: [String] = []
      for kind in all where !names.contains(kind.type.rawValue) { names.append(kind.type.rawValue) }
      throw .badRequest("notificationType is not one of " + names.joined(separator: ", "))
    }
    let wanted = subtype.map { Subtype(rawValue: $0) }
    guard let kind = ofType.first(where: { $0.subtypes.contains(wanted) }) else {
      let words = ofType.flatMap(\.subtypes).map { $0?.rawValue ?? "none at all" }
      throw .badRequest("subtype of \(type) is one of " + words.joined(separator: ", "))
    }
    return kind
  }
}

import AppStore

/// What Apple is told that we would prefer, and where it comes from. The built-in policy states none, so only a person's
/// word counts.
struct PreferenceFinding: Equatable, Sendable {
  /// nil leaves the member out.
  var preference: RefundPreference?
  /// For people; also what was replaced and why.
  var words: String

  /// - Parameter hold: a hold that stands; what was said waits for its end.
  init(
    _ said: Review?, hold: Review?, productType: ProductType, delivery: DeliveryStatus, share: ConsumptionPercentage?
  ) {
    if let hold {
      words = "left out: \(hold.by) holds it (\(hold.event))"
      return
    }
    guard let said, let word = said.preference, word != "NO_PREFERENCE" else {
      words =
        said.map { "left out: \($0.by) takes the preference back (\($0.event))" } ?? "left out: the policy states none"
      return
    }
    let source = "preferred by \(said.by) (\(said.event))" + (said.note.map { ": \($0)" } ?? "")
    guard let wanted = RefundPreference(rawValue: word) else {
      words = "left out: \(word) is no word of Apple's, \(source)"
      return
    }
    let (possible, reason) =
      wanted == .grantProrated ? Self.prorated(productType, delivery, share) : (Optional(wanted), nil)
    preference = possible
    words = reason.map { "\(possible?.rawValue ?? "left out") in place of \(word), as \($0); \(source)" } ?? source
  }

  /// Prorated needs a share strictly between nothing and all, except where Apple works it out itself.
  private static func prorated(
    _ productType: ProductType, _ delivery: DeliveryStatus, _ share: ConsumptionPercentage?
  ) -> (RefundPreference?, reason: String?) {
    switch productType {
    case .autoRenewableSubscription: return (.grantProrated, nil)
    case .unknown: return (nil, "the rules of this product type are not known")
    case .consumable, .nonConsumable, .nonRenewingSubscription: break
    }
    guard delivery.isDelivered else { return (.grantFull, "nothing of it was delivered") }
    guard let share else { return (nil, "the share used is not known") }
    if share == .none { return (.grantFull, "nothing of it was used") }
    if share == .all { return (nil, "all of it was used") }
    return (.grantProrated, nil)
  }
}

import AppStore

/// The answer for a purchase of the Advanced Commerce API, which Apple takes at endpoint version 1: every member required,
/// and what nobody stated said as undeclared.
struct AdvancedCommerceFinding: Equatable, Sendable {
  var body: ConsumptionRequestV1
  /// Member of the body → words for people; also what was left out and why.
  var sources: [String: String]

  /// - Parameters:
  ///   - evidence: of this purchase and the original one.
  ///   - said: a person's preference.
  ///   - hold: a hold that stands; what was said waits for its end.
  /// - Throws: where Apple takes no such body.
  init(
    _ facts: FactsFinding, purchase: PurchaseFacts, evidence: EvidenceState, said: Review?, hold: Review?
  ) throws(ConsumptionRequestError) {
    var sources = facts.sources
    sources["consumptionStatus"] =
      facts.share == nil
      ? "undeclared; consumptionPercentage \(sources["consumptionPercentage"] ?? "left out")"
      : "from consumptionPercentage, \(sources["consumptionPercentage"] ?? "")"
    sources["consumptionPercentage"] = nil
    sources["appAccountToken"] =
      purchase.accountToken == nil ? "empty: the purchase carries no UUID" : "from the purchase itself"
    for (member, value) in AccountEvidence.members {
      sources[member] = evidence.account?[keyPath: value].map { "stated by \($0.by) (\($0.event))" } ?? "undeclared"
    }
    let (preference, words) = Self.preference(said, hold: hold)
    sources["refundPreference"] = words
    self.sources = sources
    body = try ConsumptionRequestV1(
      productType: purchase.type, consumptionStatus: ConsumptionStatus(facts.share),
      deliveryStatus: DeliveryStatusV1(facts.deliveryStatus), sampleContentProvided: facts.sampleContentProvided,
      appAccountToken: purchase.accountToken, account: Self.account(evidence.account), refundPreference: preference)
  }

  /// The contract lets no number through that Apple's tables do not have; one that is not there is undeclared.
  private static func account(_ stated: AccountEvidence?) -> ConsumptionAccount {
    guard let stated else { return ConsumptionAccount() }
    return ConsumptionAccount(
      platform: stated.platform.flatMap { ConsumptionPlatform(rawValue: $0.value) } ?? .undeclared,
      tenure: stated.accountTenure.flatMap { AccountTenure(rawValue: $0.value) } ?? .undeclared,
      playTime: stated.playTime.flatMap { PlayTime(rawValue: $0.value) } ?? .undeclared,
      refunded: stated.lifetimeDollarsRefunded.flatMap { LifetimeDollars(rawValue: $0.value) } ?? .undeclared,
      purchased: stated.lifetimeDollarsPurchased.flatMap { LifetimeDollars(rawValue: $0.value) } ?? .undeclared,
      status: stated.userStatus.flatMap { UserStatus(rawValue: $0.value) } ?? .undeclared)
  }

  /// Version 1 has no number for a part: to grant all in place of it would say what nobody said.
  private static func preference(_ said: Review?, hold: Review?) -> (RefundPreferenceV1?, words: String) {
    if let hold { return (nil, "left out: \(hold.by) holds it (\(hold.event))") }
    guard let said, let word = said.preference, word != "NO_PREFERENCE" else {
      return (
        nil,
        said.map { "left out: \($0.by) takes the preference back (\($0.event))" } ?? "left out: the policy states none"
      )
    }
    let source = "preferred by \(said.by) (\(said.event))" + (said.note.map { ": \($0)" } ?? "")
    switch RefundPreference(rawValue: word) {
    case .decline: return (.decline, source)
    case .grantFull: return (.grant, source)
    case .grantProrated:
      return (nil, "left out in place of \(word), as endpoint version 1 knows no part of a refund; \(source)")
    case nil: return (nil, "left out: \(word) is no word of Apple's, \(source)")
    }
  }
}

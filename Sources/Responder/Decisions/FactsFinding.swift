import AppStore

/// The values for one answer, each with its source; nothing here is guessed.
struct FactsFinding: Equatable, Sendable {
  var deliveryStatus: DeliveryStatus
  var sampleContentProvided: Bool
  /// Absent where nobody stated it, where it is too old, and for what Apple works out itself.
  var share: ConsumptionPercentage?
  /// Member of the body → words for people; also what was left out and why.
  var sources: [String: String]

  /// A share used that was stated longer than this before the request says nothing about now.
  static let shareAgeMax: Int64 = 24 * 3_600_000

  enum Missing: Error, Equatable {
    case facts([String])
    case unknownPurchase
  }

  /// - Parameter signedAt: of the refund request, milliseconds since 1970, UTC.
  init(
    productType: ProductType, evidence: EvidenceState, app: AppState, product: String?, signedAt: Int64
  ) throws(Missing) {
    if evidence.unknownPurchase?.value == true { throw .unknownPurchase }
    let declared = app.statement(for: product)
    let declaredWords = declared.map {
      "declared by \($0.statement.by) for product \($0.product) (\($0.statement.event))"
    }
    var sources: [String: String] = ["customerConsented": "always true in an answer; see basis"]
    var missing: [String] = []

    var delivery: DeliveryStatus?
    if let stated = evidence.deliveryStatus, let known = DeliveryStatus(rawValue: stated.value) {
      delivery = known
      sources["deliveryStatus"] = Self.words(stated)
    } else if let declared, let known = DeliveryStatus(rawValue: declared.statement.deliveryStatus) {
      delivery = known
      sources["deliveryStatus"] = declaredWords
    } else {
      missing.append("deliveryStatus")
    }
    var sample: Bool?
    if let stated = evidence.sampleContentProvided {
      sample = stated.value
      sources["sampleContentProvided"] = Self.words(stated)
    } else if let declared {
      sample = declared.statement.sampleContentProvided
      sources["sampleContentProvided"] = declaredWords
    } else {
      missing.append("sampleContentProvided")
    }
    guard let delivery, let sample else { throw .facts(missing) }
    deliveryStatus = delivery
    sampleContentProvided = sample
    let (share, words) = Self.share(productType, delivery, evidence, signedAt: signedAt)
    self.share = share
    sources["consumptionPercentage"] = words
    self.sources = sources
  }

  /// The same facts without the share used.
  func withoutShare(_ words: String) -> FactsFinding {
    var facts = self
    facts.share = nil
    facts.sources["consumptionPercentage"] = words
    return facts
  }

  private static func words<Value>(_ stated: Stated<Value>) -> String { "stated by \(stated.by) (\(stated.event))" }

  private static func share(
    _ productType: ProductType, _ delivery: DeliveryStatus, _ evidence: EvidenceState, signedAt: Int64
  ) -> (ConsumptionPercentage?, words: String) {
    switch productType {
    case .autoRenewableSubscription: return (nil, "left out: Apple works it out for auto-renewable subscriptions")
    case .unknown: return (nil, "left out: the rules of this product type are not known")
    case .consumable, .nonConsumable, .nonRenewingSubscription: break
    }
    guard delivery.isDelivered else { return undelivered(evidence) }
    if let stated = evidence.consumptionPercentage, stated.at >= evidence.unitsUsed?.at ?? .min {
      guard signedAt - stated.at <= shareAgeMax else { return (nil, tooOld) }
      guard let share = try? ConsumptionPercentage(milliunits: stated.value) else {
        return (nil, "left out: \(stated.value) is no share")
      }
      return (share, words(stated))
    }
    guard let used = evidence.unitsUsed, let granted = evidence.unitsGranted else {
      return (nil, "left out: nobody stated it")
    }
    guard signedAt - used.at <= shareAgeMax else { return (nil, tooOld) }
    guard let share = ConsumptionPercentage(used: used.value, of: granted.value) else {
      return (nil, "left out: \(used.value) used of \(granted.value) granted is no share")
    }
    return (share, "\(used.value) used of \(granted.value) granted, \(words(used))")
  }

  /// Apple takes 0 or nothing here.
  private static func undelivered(_ evidence: EvidenceState) -> (ConsumptionPercentage?, words: String) {
    if let stated = evidence.consumptionPercentage, stated.at >= evidence.unitsUsed?.at ?? .min {
      return stated.value == 0
        ? (ConsumptionPercentage.none, words(stated))
        : (nil, "left out: \(stated.value) was stated, and it was not delivered")
    }
    guard let used = evidence.unitsUsed else { return (nil, "left out: it was not delivered") }
    return used.value == 0
      ? (ConsumptionPercentage.none, "0 units used, \(words(used))")
      : (nil, "left out: \(used.value) units used were stated, and it was not delivered")
  }

  private static let tooOld = "left out: stated over 24 h before the request"
}

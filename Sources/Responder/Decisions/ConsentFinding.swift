/// Whether the customer's data may be told to Apple, and which record or declaration says so.
enum ConsentFinding: Equatable, Sendable {
  /// Id of the event that allows it, and words for people.
  case allowed(by: String, words: String)
  case withdrawn
  case unknown
  /// The customer agreed to a text that no longer counts.
  case outdated(textVersion: String)
  /// A parent took back consent to a child's use of the app, and nobody agreed since; id of the event.
  case rescinded(by: String)

  /// A withdrawal beats everything; a record of the customer's own beats a declared basis; an agreement to a text that is
  /// not accepted any more is none. What a parent took back stands until a consent is recorded that was given later.
  /// - Parameters:
  ///   - customer: nil where nobody knows whose purchase it is.
  ///   - rescission: the newest for the purchase's app transaction.
  init(customer: CustomerState?, purchaseDate: Int64?, app: AppState, rescission: Rescission?) {
    var outdated: String?
    if let consent = customer?.consent {
      if !consent.granted {
        self = .withdrawn
        return
      }
      let isLater = rescission.map { consent.statedAt > $0.signedAt } ?? true
      if isLater, app.acceptedTexts?.contains(consent.textVersion) ?? true {
        self = .allowed(by: consent.event, words: "the customer agreed to text version \(consent.textVersion)")
        return
      }
      outdated = consent.textVersion
    }
    if let rescission {
      self = .rescinded(by: rescission.event)
      return
    }
    guard let basis = app.basis, basis.kind == "terms", let purchaseDate, purchaseDate >= basis.effectiveFrom,
      customer != nil || basis.coversUnidentified
    else {
      self = outdated.map { .outdated(textVersion: $0) } ?? .unknown
      return
    }
    self = .allowed(
      by: basis.event,
      words: "the terms of version \(basis.textVersion) cover this purchase"
        + (customer == nil ? " of nobody known" : ""))
  }
}

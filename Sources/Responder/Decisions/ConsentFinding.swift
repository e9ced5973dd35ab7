/// Whether the customer's data may be told to Apple, and which record or declaration says so.
enum ConsentFinding: Equatable, Sendable {
  /// Id of the event that allows it, and words for people.
  case allowed(by: String, words: String)
  case withdrawn
  case unknown
  /// The customer agreed to a text that no longer counts.
  case outdated(textVersion: String)

  /// A withdrawal beats everything; a record of the customer's own beats a declared basis; an agreement to a text that is
  /// not accepted any more is none.
  /// - Parameter customer: nil where nobody knows whose purchase it is.
  init(customer: CustomerState?, purchaseDate: Int64?, app: AppState) {
    var outdated: String?
    if let consent = customer?.consent {
      if !consent.granted {
        self = .withdrawn
        return
      }
      if app.acceptedTexts?.contains(consent.textVersion) ?? true {
        self = .allowed(by: consent.event, words: "the customer agreed to text version \(consent.textVersion)")
        return
      }
      outdated = consent.textVersion
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

/// Whether the customer's data may be told to Apple, and which record or declaration says so.
enum ConsentFinding: Equatable, Sendable {
  /// Id of the event that allows it, and words for people.
  case allowed(by: String, words: String)
  case withdrawn
  case unknown

  /// A withdrawal beats everything; a record of the customer's own beats a declared basis.
  /// - Parameter customer: nil where nobody knows whose purchase it is.
  init(customer: CustomerState?, purchaseDate: Int64?, app: AppState) {
    if let consent = customer?.consent {
      self =
        consent.granted
        ? .allowed(by: consent.event, words: "the customer agreed to text version \(consent.textVersion)") : .withdrawn
      return
    }
    guard let basis = app.basis, basis.kind == "terms", let purchaseDate, purchaseDate >= basis.effectiveFrom,
      customer != nil || basis.coversUnidentified
    else {
      self = .unknown
      return
    }
    self = .allowed(
      by: basis.event,
      words: "the terms of version \(basis.textVersion) cover this purchase"
        + (customer == nil ? " of nobody known" : ""))
  }
}

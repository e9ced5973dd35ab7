public import JSON

/// The body of `PUT /v1/evidence/{environment}/{transactionId}`: what the backend knows of a purchase, or that it
/// does not know it.
public struct EvidenceCall: Sendable, Equatable {
  public var bundleID: String
  /// When the backend looked. Milliseconds since 1970, UTC.
  public var statedAt: Int64
  public var statement: EvidenceStatement

  /// - Parameter now: milliseconds since 1970, UTC; a statement more than 5 min after it is refused.
  /// - Throws: `Problem` with everything that is wrong.
  public init(body: [UInt8], now: Int64) throws(Problem) {
    try self.init(members: try CallReader.object(body), now: now)
  }

  /// - Parameter path: where the object stands in a batch, such as `items[3]`; empty for a body.
  public init(members: JSONObject, path: String = "", now: Int64) throws(Problem) {
    var reader = CallReader(members, path: path)
    let bundleID = reader.required("bundleId", .bundleID)
    let statedAt = reader.statedAt(now: now)
    let exact = reader.optional("exact", .flag) ?? false
    let values = reader.optional("values", .object)
    let known = reader.optional("known", .flag)
    var statement: EvidenceStatement?
    switch (values, known) {
    case (let values?, nil), (let values?, true):
      statement = Self.values(values, exact: exact, into: &reader).map { .values($0) }
    case (nil, false): statement = .unknownPurchase
    case (_?, false): reader.refuse("known", "is false beside values; a purchase that is not known has none")
    case (nil, _): reader.refuse("values", "is missing; it is an object, or known is false")
    }
    reader.refuseUnknown()
    guard reader.faults.isEmpty, let bundleID, let statedAt, let statement else {
      throw Problem(.invalidMembers, errors: reader.faults)
    }
    self.bundleID = bundleID
    self.statedAt = statedAt
    self.statement = statement
  }

  /// The event it becomes.
  /// - Parameter by: name of the API token.
  public func event(of purchase: PurchaseKey, by: String) -> EvidenceRecorded {
    EvidenceRecorded(bundleID: bundleID, purchase: purchase, statedAt: statedAt, by: by, statement: statement)
  }

  private static func values(_ members: JSONObject, exact: Bool, into outer: inout CallReader) -> EvidenceValues? {
    var reader = CallReader(members, path: outer.place(of: "values"))
    let values = EvidenceValues(members: &reader)
    if members.isEmpty { outer.refuse("values", "is empty; state at least one value") }
    if !exact { refuseSlips(values, &reader) }
    if let used = values.unitsUsed, let granted = values.unitsGranted, used > granted {
      reader.refuse("unitsUsed", "is \(used) of \(granted) granted; more cannot have been used")
    }
    reader.refuseUnknown("; what only your own rules look at goes into attributes")
    outer.add(reader.faults)
    return reader.faults.isEmpty && !members.isEmpty ? values : nil
  }

  /// What is allowed, but hardly ever meant. `"exact": true` says that it is.
  private static func refuseSlips(_ values: EvidenceValues, _ reader: inout CallReader) {
    if let percentage = values.consumptionPercentage, (1...100).contains(percentage) {
      reader.refuse(
        "consumptionPercentage",
        "\(percentage) means \(Milliunits.percent(percentage)) %; \(percentage) % is \(percentage * 1000); "
          + "if it is meant so, say \"exact\": true")
    }
    if let word = values.deliveryStatus, !word.isKnown {
      reader.refuse("deliveryStatus", slip(DeliveryStatusWords.known))
    }
    if let word = values.refundPreference, !word.isKnown {
      reader.refuse("refundPreference", slip(RefundPreferenceWords.known))
    }
  }

  private static func slip(_ known: [String]) -> String {
    "is none of \(known.joined(separator: ", ")); if Apple has a new word for it, say \"exact\": true"
  }
}

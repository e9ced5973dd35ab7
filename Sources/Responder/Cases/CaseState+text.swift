import JSON

extension CaseState {
  /// The state as JSON, which its `Decodable` reads back; written member by member in one order, so that the same state is
  /// always the same bytes. `JSONEncoder` gives the same content at five times the cost, and a rebuild writes very many.
  var text: [UInt8] {
    var writer = StateWriter()
    writer.object { state in
      state.put("app", app)
      state.put("decisions", decisions) { $0.write($1) }
      state.put("environment", environment)
      state.put("evidences", evidences) { $0.write($1) }
      state.put("links", links) { $0.write($1) }
      state.put("outcomes", outcomes) { $0.write($1) }
      state.put("purchase", purchase) { $0.write($1) }
      state.put("renewals", renewals) { $0.write($1) }
      state.put("requests", requests) { $0.write($1) }
      state.put("reviews", reviews) { $0.write($1) }
      state.put("tokenCustomer", tokenCustomer) { $0.write($1) }
      state.put("transactionID", transactionID)
      state.put("version", version)
    }
    return writer.bytes
  }
}

/// Writes the parts of a case.
private struct StateWriter {
  private var writer = JSONWriter()
  private var isFirst = true
  var bytes: [UInt8] { writer.bytes }

  // MARK: Values

  mutating func object(_ members: (inout StateWriter) -> Void) {
    writer.raw(literal: "{")
    isFirst = true
    members(&self)
    writer.raw(literal: "}")
    isFirst = false
  }

  mutating func write(_ value: String) { writer.string(value) }
  mutating func write(_ value: Int64) { writer.raw(String(value)) }
  mutating func write(_ value: Bool) { writer.raw(literal: value ? "true" : "false") }

  // MARK: Members

  private mutating func next() {
    if !isFirst { writer.raw(literal: ",") }
    isFirst = false
  }

  private mutating func name(_ name: StaticString) {
    next()
    writer.raw(literal: "\"")
    writer.raw(literal: name)
    writer.raw(literal: "\":")
  }

  mutating func put<Value>(_ name: StaticString, _ value: Value?, _ write: (inout StateWriter, Value) -> Void) {
    guard let value else { return }
    self.name(name)
    write(&self, value)
  }

  mutating func put(_ name: StaticString, _ value: String?) { put(name, value) { $0.write($1) } }
  mutating func put(_ name: StaticString, _ value: Int64?) { put(name, value) { $0.write($1) } }
  mutating func put(_ name: StaticString, _ value: Bool?) { put(name, value) { $0.write($1) } }

  mutating func put<Value>(_ name: StaticString, _ values: [Value], _ write: (inout StateWriter, Value) -> Void) {
    self.name(name)
    writer.raw(literal: "[")
    for (index, value) in values.enumerated() {
      if index > 0 { writer.raw(literal: ",") }
      write(&self, value)
    }
    writer.raw(literal: "]")
    isFirst = false
  }

  mutating func put<Value>(_ name: StaticString, _ values: [String: Value], _ write: (inout StateWriter, Value) -> Void)
  {
    self.name(name)
    object { inner in
      for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        inner.next()
        inner.write(key)
        inner.writer.raw(literal: ":")
        write(&inner, value)
      }
    }
  }

  // MARK: Parts

  mutating func write(_ stated: Stated<String>) { write(stated) { $0.write($1) } }
  mutating func write(_ stated: Stated<Int64>) { write(stated) { $0.write($1) } }
  mutating func write(_ stated: Stated<Bool>) { write(stated) { $0.write($1) } }

  private mutating func write<Value>(_ stated: Stated<Value>, _ write: (inout StateWriter, Value) -> Void) {
    object { part in
      part.put("at", stated.at)
      part.put("by", stated.by)
      part.put("event", stated.event)
      part.put("value", Optional(stated.value), write)
    }
  }

  mutating func write(_ evidence: EvidenceState) {
    object { part in
      part.put("account", evidence.account) { $0.write($1) }
      part.put("consumptionPercentage", evidence.consumptionPercentage) { $0.write($1) }
      part.put("deliveryStatus", evidence.deliveryStatus) { $0.write($1) }
      part.put("sampleContentProvided", evidence.sampleContentProvided) { $0.write($1) }
      part.put("unitsGranted", evidence.unitsGranted) { $0.write($1) }
      part.put("unitsUsed", evidence.unitsUsed) { $0.write($1) }
      part.put("unknownPurchase", evidence.unknownPurchase) { $0.write($1) }
    }
  }

  private mutating func write(_ account: AccountEvidence) {
    object { part in
      part.put("accountTenure", account.accountTenure) { $0.write($1) }
      part.put("lifetimeDollarsPurchased", account.lifetimeDollarsPurchased) { $0.write($1) }
      part.put("lifetimeDollarsRefunded", account.lifetimeDollarsRefunded) { $0.write($1) }
      part.put("platform", account.platform) { $0.write($1) }
      part.put("playTime", account.playTime) { $0.write($1) }
      part.put("userStatus", account.userStatus) { $0.write($1) }
    }
  }

  mutating func write(_ facts: PurchaseFacts) {
    object { part in
      part.put("accountToken", facts.accountToken)
      part.put("answers", facts.answers.rawValue)
      part.put("appTransactionID", facts.appTransactionID)
      part.put("currency", facts.currency)
      part.put("event", facts.event)
      part.put("expiresDate", facts.expiresDate)
      part.put("originalTransactionID", facts.originalTransactionID)
      part.put("price", facts.price)
      part.put("productID", facts.productID)
      part.put("productType", facts.productType)
      part.put("purchaseDate", facts.purchaseDate)
      part.put("quantity", facts.quantity)
      part.put("revocation", facts.revocation) { writer, revocation in
        writer.object { part in
          part.put("at", revocation.at)
          part.put("percentage", revocation.percentage)
          part.put("reason", revocation.reason)
          part.put("type", revocation.type)
        }
      }
      part.put("seats", facts.seats) { writer, seats in
        writer.object { part in
          part.put("isAddition", seats.isAddition)
          part.put("revoked", seats.revoked)
        }
      }
      part.put("signedDate", facts.signedDate)
      part.put("storefront", facts.storefront)
      part.put("weight", facts.weight)
    }
  }

  mutating func write(_ outcome: CaseOutcome) {
    object { part in
      part.put("extent", outcome.extent)
      part.put("isUpgraded", outcome.isUpgraded)
      part.put("kind", outcome.kind.rawValue)
      part.put("notification", outcome.notification)
      part.put("percentage", outcome.percentage)
      part.put("position", outcome.position)
      part.put("quantity", outcome.quantity)
      part.put("revocationDate", outcome.revocationDate)
      part.put("revokedSeats", outcome.revokedSeats)
      part.put("signedAt", outcome.signedAt)
      part.put("uuid", outcome.uuid)
    }
  }

  mutating func write(_ change: RenewalChange) {
    object { part in
      part.put("event", change.event)
      part.put("isOn", change.isOn)
      part.put("position", change.position)
      part.put("signedAt", change.signedAt)
    }
  }

  mutating func write(_ review: Review) {
    object { part in
      part.put("act", review.act.rawValue)
      part.put("all", review.all)
      part.put("at", review.at)
      part.put("by", review.by)
      part.put("event", review.event)
      part.put("note", review.note)
      part.put("position", review.position)
      part.put("preference", review.preference)
      part.put("request", review.request)
      part.put("until", review.until)
    }
  }

  mutating func write(_ request: RefundRequest) {
    object { part in
      part.put("attempts", request.attempts) { $0.write($1) }
      part.put("id", request.id)
      part.put("reason", request.reason)
      part.put("receivedAt", request.receivedAt)
      part.put("signedAt", request.signedAt)
      part.put("takesNoShare", request.takesNoShare)
      part.put("withheld", request.withheld) { writer, withheld in
        writer.object { part in
          part.put("at", withheld.at)
          part.put("reason", withheld.reason)
        }
      }
    }
  }

  private mutating func write(_ attempt: RefundRequest.Attempt) {
    object { part in
      part.put("at", attempt.at)
      part.put("body", attempt.body)
      part.put("caller", attempt.caller)
      part.put("claim", attempt.claim)
      part.put("number", attempt.number)
      part.put("position", attempt.position)
      part.put("result", attempt.result) { $0.write($1) }
      part.put("sendBy", attempt.sendBy)
    }
  }

  /// As the compiler's own coding of an enum: the case's name over its values.
  private mutating func write(_ result: RefundRequest.Result) {
    let (name, values): (StaticString, [(StaticString, Int64?)]) =
      switch result {
      case .sent(let status, let at): ("sent", [("at", at), ("status", status)])
      case .refused(let status): ("refused", [("status", status)])
      case .failed(let retryAt): ("failed", [("retryAt", retryAt)])
      case .limited(let retryAt): ("limited", [("retryAt", retryAt)])
      case .unauthorised(let at): ("unauthorised", [("at", at)])
      case .unknown(let retryAt): ("unknown", [("retryAt", retryAt)])
      }
    object { part in
      part.name(name)
      part.object { inner in for (member, value) in values { inner.put(member, value) } }
    }
  }
}

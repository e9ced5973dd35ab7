/// Ids of events (FORMAT, «Ids»): unique for ever, built from what makes the event the same when it comes again.
public enum EventIDs {
  /// `notification/<lower-case uuid>`.
  public static func notification(_ uuid: String) -> String { "notification/\(LowerCase.ascii(uuid))" }

  /// `claim/<environment>/<transactionId>/<n>`, n from 1 per purchase.
  public static func claim(_ purchase: PurchaseKey, attempt: Int64) -> String { of("claim", purchase, attempt) }

  /// The id of ConsumptionSent for an attempt.
  public static func sent(_ purchase: PurchaseKey, attempt: Int64) -> String { of("sent", purchase, attempt) }

  /// The id of ConsumptionFailed for an attempt whose reply is known.
  public static func failed(_ purchase: PurchaseKey, attempt: Int64) -> String { of("failed", purchase, attempt) }

  /// The id of ConsumptionFailed for an attempt whose reply never came; a sent or failed may still follow it.
  public static func unknown(_ purchase: PurchaseKey, attempt: Int64) -> String { of("unknown", purchase, attempt) }

  /// `outcome/<environment>/<transactionId>/<kind>/<revocationDate>` for a refund that has that date, so that the
  /// notification and the refund history give the same id; else the notification's UUID stands last.
  public static func outcome(
    _ purchase: PurchaseKey, kind: Outcome.Kind, revocationDate: Int64?, notificationUUID: String
  ) -> String {
    let last = kind == .refunded ? revocationDate.map { String($0) } : nil
    return "outcome/\(purchase.path)/\(kind.rawValue)/\(last ?? LowerCase.ascii(notificationUUID))"
  }

  /// The id of an outcome found in refund history, which always has a revocation date.
  public static func outcome(_ purchase: PurchaseKey, refundedAt revocationDate: Int64) -> String {
    "outcome/\(purchase.path)/\(Outcome.Kind.refunded.rawValue)/\(revocationDate)"
  }

  /// `<prefix>/<stream>/<version>`: for facts that are told apart only by their place.
  /// - Parameter version: the version the event will have in its stream, from 1.
  public static func next(_ prefix: Prefix, stream: String, version: Int64) -> String {
    "\(prefix.rawValue)/\(stream)/\(version)"
  }

  /// `<prefix>/<bundleId>/<hex>`: for calls that brought an Idempotency-Key.
  /// - Parameter hex: HMAC-SHA-256 with the log's secret over field(scope) and field(key), lower-case hex.
  /// - Precondition: it is hex; a caller's own key must never stand in an id.
  public static func keyed(_ prefix: Prefix, bundleID: String, hex: String) -> String {
    precondition(HexDigits.areDigest(hex), "a keyed id holds 64 hex digits, never the caller's key")
    return "\(prefix.rawValue)/\(bundleID)/\(hex)"
  }

  /// `<prefix>/<lower-case uuid>`: for acts that are new each time.
  public static func new(_ prefix: Prefix, uuid: String) -> String {
    "\(prefix.rawValue)/\(LowerCase.ascii(uuid))"
  }

  /// Reads the id of a claim, or of a result of one, back; nil for any other id.
  public static func attempt(of id: String) -> (purchase: PurchaseKey, attempt: Int64)? {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, ["claim", "sent", "failed", "unknown"].contains(parts[0]),
      let purchase = try? PurchaseKey(environment: parts[1], transactionID: parts[2]),
      let attempt = Int64(parts[3]), attempt >= 1, String(attempt) == parts[3]
    else { return nil }
    return (purchase, attempt)
  }

  private static func of(_ prefix: String, _ purchase: PurchaseKey, _ attempt: Int64) -> String {
    "\(prefix)/\(purchase.path)/\(attempt)"
  }

  /// First part of an id. No caller of the API can choose one, so no source takes another's ids.
  public enum Prefix: String, Sendable, CaseIterable {
    case consent, link, evidence, review, access
    case policy, statement, text, accepted, basis, outage, preference
    case withheld, alarm, cleared, certificate, restored, resumed, erased
  }
}

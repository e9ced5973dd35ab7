public import JSON

/// One page of the cases that were looked for: by the instant they are due, then the newest first.
public struct CaseList: Sendable, Equatable {
  public var cases: [CaseSummary]
  /// Where the next page begins; nil at the end. A page may hold fewer cases than asked for while there is a next.
  public var next: String?
  /// Position in the log up to which the cases are told.
  public var through: Int64
  /// Since when nothing is sent, as the log was restored and nobody resumed sending; nil where sending goes on.
  public var sendingPausedSince: Int64?

  public init(cases: [CaseSummary], next: String?, through: Int64, sendingPausedSince: Int64? = nil) {
    self.cases = cases
    self.next = next
    self.through = through
    self.sendingPausedSince = sendingPausedSince
  }

  public var json: JSONValue {
    var writer = MemberWriter(additional: JSONObject())
    writer.put("cases", cases)
    writer.put("next", next)
    writer.put("through", String(through))
    writer.put("sendingPausedSince", sendingPausedSince)
    return .object(writer.members)
  }
}

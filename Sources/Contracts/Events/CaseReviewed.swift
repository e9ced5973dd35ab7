public import JSON

/// What a person did with a case.
///
/// Stream purchase/<environment>/<transactionId>.
public struct CaseReviewed: SortedEventData {
  public static let type = EventType.caseReviewed

  /// What the person did.
  public var act: Act
  /// Who says so: the name of an API token, of an operator, or of the formula that derived it. Open.
  public var by: String
  /// Id of the event that opened the refund request.
  public var request: String?
  /// With prefer: Apple's words, or NO_PREFERENCE. Open.
  public var refundPreference: RefundPreferenceWord?
  /// Why, in words for people.
  public var note: String?
  /// With hold: when it ends by itself. Milliseconds since 1970, UTC.
  public var until: Int64?
  /// With hold: true where the facts wait too, and nothing is sent; otherwise only the preference waits.
  public var all: Bool?
  public var additional: JSONObject

  public init(
    act: Act, by: String, request: String? = nil, refundPreference: RefundPreferenceWord? = nil,
    note: String? = nil, until: Int64? = nil, all: Bool? = nil, additional: JSONObject = JSONObject()
  ) {
    self.act = act
    self.by = by
    self.request = request
    self.refundPreference = refundPreference
    self.note = note
    self.until = until
    self.all = all
    self.additional = additional
  }

  public init(members: inout MemberReader) throws(ContractError) {
    act = try members.required("act", .oneOf)
    by = try members.required("by", .name)
    request = try members.optional("request", .eventID)
    refundPreference = try members.optional("refundPreference", .word())
    note = try members.optional("note", .text)
    until = try members.optional("until", .instant)
    all = try members.optional("all", .flag)
    additional = members.rest
  }

  public func write(to members: inout MemberWriter) {
    members.put("act", act)
    members.put("by", by)
    members.put("request", request)
    members.put("refundPreference", refundPreference)
    members.put("note", note)
    members.put("until", until)
    members.put("all", all)
  }

  public enum Act: String, Sendable, ClosedWord {
    /// The preference waits, or all that would be said.
    case hold
    /// It no longer does.
    case release
    /// What to say to Apple.
    case prefer
    /// Only words.
    case note
    /// Do not wait.
    case answerNow
    /// Send once more inside the window.
    case answerAgain
  }
}

/// The body of `POST /v1/cases/{environment}/{transactionId}/reviews`: what a person does with a case.
public struct ReviewCall: Sendable, Equatable {
  public var act: CaseReviewed.Act
  public var note: String?
  public var refundPreference: RefundPreferenceWord?
  /// When a hold ends by itself. Milliseconds since 1970, UTC.
  public var until: Int64?
  /// With hold: true where the facts wait too, and nothing is sent; otherwise only the preference waits.
  public var all: Bool?
  /// Id of the event that opened the refund request that is meant.
  public var request: String?

  /// - Parameter now: milliseconds since 1970, UTC; a hold must end after it.
  /// - Throws: `Problem` with everything that is wrong.
  public init(body: [UInt8], now: Int64) throws(Problem) {
    var reader = CallReader(try CallReader.object(body), path: "")
    let act = reader.required("act", Shape<CaseReviewed.Act>.oneOf)
    note = reader.optional("note", .note)
    refundPreference = reader.optional("refundPreference", Shape<RefundPreferenceWord>.word())
    until = reader.optional("until", .instant)
    all = reader.optional("all", .flag)
    request = reader.optional("request", .eventID)
    if let word = refundPreference, !word.isKnown {
      reader.refuse("refundPreference", "is none of \(RefundPreferenceWords.known.joined(separator: ", "))")
    }
    if let act {
      if act == .prefer, refundPreference == nil, !reader.hasFault(of: "refundPreference") {
        reader.refuse("refundPreference", "is missing; prefer says what is preferred, NO_PREFERENCE takes it back")
      }
      if act != .prefer, refundPreference != nil {
        reader.refuse("refundPreference", "goes with prefer only, not with \(act.rawValue)")
      }
      if act != .hold, until != nil { reader.refuse("until", "goes with hold only, not with \(act.rawValue)") }
      if act != .hold, all != nil { reader.refuse("all", "goes with hold only, not with \(act.rawValue)") }
    }
    if let until, until <= now { reader.refuse("until", "is past; a hold ends in the future") }
    reader.refuseUnknown()
    guard reader.faults.isEmpty, let act else { throw Problem(.invalidMembers, errors: reader.faults) }
    // What a person prefers must be explained to whoever asks a month later; a note without words says nothing.
    if [.prefer, .note].contains(act), note == nil {
      throw Problem(.noteRequired, detail: "say in note why, in words for people")
    }
    self.act = act
  }

  /// The event it becomes.
  /// - Parameter by: name of the API token.
  public func event(by: String) -> CaseReviewed {
    CaseReviewed(
      act: act, by: by, request: request, refundPreference: refundPreference, note: note, until: until, all: all)
  }
}

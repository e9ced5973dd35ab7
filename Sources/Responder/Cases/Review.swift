import Contracts

/// What a person did with a case.
struct Review: Codable, Equatable, Sendable {
  var act: Act
  var by: String
  /// Id of the refund request's event; nil where the act is about the case.
  var request: String?
  /// With `prefer`: Apple's word or NO_PREFERENCE.
  var preference: String?
  var note: String?
  /// With `hold`: when it ends by itself.
  var until: Int64?
  /// With `hold`: the facts wait too.
  var all: Bool?
  var at: Int64
  /// Id and position of the event.
  var event: String
  var position: Int64

  enum Act: String, Codable, Sendable { case hold, release, prefer, note, answerNow, answerAgain }

  init(_ reviewed: CaseReviewed, event: String, at: Int64, position: Int64) {
    act = Act(rawValue: reviewed.act.rawValue)!
    by = reviewed.by
    request = reviewed.request
    preference = reviewed.refundPreference?.text
    note = reviewed.note
    until = reviewed.until
    all = reviewed.all
    self.at = at
    self.event = event
    self.position = position
  }
}

extension [Review] {
  /// The newest acts that concern a refund request decide.
  private func newest(of acts: Set<Review.Act>, for request: RefundRequest) -> Review? {
    last { acts.contains($0.act) && ($0.request == nil || $0.request == request.id) }
  }

  /// The hold that stands; «answer now» ends one as «release» does.
  func hold(of request: RefundRequest) -> Review? {
    guard let newest = newest(of: [.hold, .release, .answerNow, .answerAgain], for: request), newest.act == .hold else {
      return nil
    }
    return newest
  }

  /// What a person said that Apple should be told.
  func preference(for request: RefundRequest) -> Review? { newest(of: [.prefer], for: request) }

  /// A person's wish for a further attempt that none was made for yet.
  func wish(for request: RefundRequest) -> Review? {
    guard let newest = newest(of: [.answerNow, .answerAgain], for: request),
      newest.position > request.attempts.last?.position ?? 0
    else { return nil }
    return newest
  }
}

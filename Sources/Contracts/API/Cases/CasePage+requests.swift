public import JSON

extension CasePage {
  /// One refund request: Apple's CONSUMPTION_REQUEST, with what became of it.
  public struct Request: Sendable, Equatable, MemberValue {
    /// Id of the notification's event.
    public var id: String
    public var signedAt: Int64
    /// First receipt by any of the developer's servers.
    public var receivedAt: Int64
    /// Past it an answer is late.
    public var due: Int64
    /// Past it nothing is sent.
    public var closed: Int64
    /// Apple's word for why the customer asks, also one that this release does not know; nil where Apple sent none.
    public var reason: String?
    public var state: State
    /// The state in a sentence.
    public var words: String
    public var waitsFor: String?
    public var waitsUntil: Int64?
    /// Oldest first.
    public var attempts: [Attempt]
    public var withheld: Withheld?
    /// The log was restored from a backup that was made while it could be answered: Apple may have an answer that the
    /// log does not know.
    public var mayHaveBeenAnswered: Bool

    public init(
      id: String, signedAt: Int64, receivedAt: Int64, due: Int64, closed: Int64, reason: String?, state: State,
      words: String, waitsFor: String? = nil, waitsUntil: Int64? = nil, attempts: [Attempt], withheld: Withheld? = nil,
      mayHaveBeenAnswered: Bool = false
    ) {
      self.id = id
      self.signedAt = signedAt
      self.receivedAt = receivedAt
      self.due = due
      self.closed = closed
      self.reason = reason
      self.state = state
      self.words = words
      self.waitsFor = waitsFor
      self.waitsUntil = waitsUntil
      self.attempts = attempts
      self.withheld = withheld
      self.mayHaveBeenAnswered = mayHaveBeenAnswered
    }

    /// The reason for people: Apple's word, or that none was given.
    public var reasonWords: String { reason ?? "none given" }

    public enum State: String, Sendable, ClosedWord {
      /// Something is done about it any moment.
      case open
      /// It waits for something named.
      case waiting
      /// An answer is under way.
      case sending
      case answered
      case withheld
      case failed
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("id", id)
      writer.put("signedAt", signedAt)
      writer.put("receivedAt", receivedAt)
      writer.put("due", due)
      writer.put("closed", closed)
      writer.put("reason", reason)
      writer.put("reasonWords", reasonWords)
      writer.put("state", state)
      writer.put("words", words)
      writer.put("waitsFor", waitsFor)
      writer.put("waitsUntil", waitsUntil)
      writer.put("attempts", attempts)
      writer.put("withheld", withheld)
      writer.put("mayHaveBeenAnswered", mayHaveBeenAnswered ? true : nil)
      return .object(writer.members)
    }
  }

  /// The end of a refund request without an answer.
  public struct Withheld: Sendable, Equatable, MemberValue {
    /// A word of ConsumptionWithheld.
    public var reason: String
    public var explanation: String?
    /// Facts that nobody stated.
    public var missing: [String]?
    public var at: Int64

    public init(reason: String, explanation: String? = nil, missing: [String]? = nil, at: Int64) {
      self.reason = reason
      self.explanation = explanation
      self.missing = missing
      self.at = at
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("reason", reason)
      writer.put("explanation", explanation)
      writer.put("missing", missing)
      writer.put("at", at)
      return .object(writer.members)
    }
  }
}

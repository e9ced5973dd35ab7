public import JSON

extension CasePage {
  /// A decision of Apple.
  public struct Decision: Sendable, Equatable, MemberValue {
    public var kind: Outcome.Kind
    public var extent: Outcome.Extent?
    /// Thousandths of a percent.
    public var percentage: Int64?
    public var revocationDate: Int64?
    public var decidedAt: Int64
    /// Position of what announced it.
    public var position: Int64
    /// Whether the log has our Outcome of it yet.
    public var isRecorded: Bool
    /// Numbers of the attempts that Apple had then, or may have had.
    public var said: [Int64]
    /// A refund that no refund request came before: it says nothing about how good our answers are.
    public var isWithoutRequest: Bool
    /// Apple marks the refunded purchase as upgraded: the rest of its period went back for that.
    public var isUpgraded: Bool
    /// How many seats Apple has taken back in all, and of how many.
    public var revokedSeats: Int64?
    public var quantity: Int64?

    public init(
      kind: Outcome.Kind, extent: Outcome.Extent?, percentage: Int64?, revocationDate: Int64?, decidedAt: Int64,
      position: Int64, isRecorded: Bool, said: [Int64], isWithoutRequest: Bool = false, isUpgraded: Bool = false,
      revokedSeats: Int64? = nil, quantity: Int64? = nil
    ) {
      self.kind = kind
      self.extent = extent
      self.percentage = percentage
      self.revocationDate = revocationDate
      self.decidedAt = decidedAt
      self.position = position
      self.isRecorded = isRecorded
      self.said = said
      self.isWithoutRequest = isWithoutRequest
      self.isUpgraded = isUpgraded
      self.revokedSeats = revokedSeats
      self.quantity = quantity
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("kind", kind)
      writer.put("extent", extent)
      writer.put("percentage", percentage)
      writer.put("revocationDate", revocationDate)
      writer.put("decidedAt", decidedAt)
      writer.put("position", String(position))
      writer.put("recorded", isRecorded)
      writer.put("said", said)
      writer.put("withoutRequest", isWithoutRequest ? true : nil)
      writer.put("upgraded", isUpgraded ? true : nil)
      writer.put("revokedSeats", revokedSeats)
      writer.put("quantity", quantity)
      return .object(writer.members)
    }
  }

  /// One value that somebody stated.
  public struct Evidence: Sendable, Equatable, MemberValue {
    /// Name of the member, in Apple's or our words.
    public var member: String
    public var value: JSONValue
    public var statedAt: Int64
    public var by: String
    /// Id of the event.
    public var event: String
    /// It was stated of the original purchase.
    public var isOfOriginal: Bool

    public init(
      member: String, value: JSONValue, statedAt: Int64, by: String, event: String, isOfOriginal: Bool = false
    ) {
      self.member = member
      self.value = value
      self.statedAt = statedAt
      self.by = by
      self.event = event
      self.isOfOriginal = isOfOriginal
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("member", member)
      writer.put("value", json: value)
      writer.put("statedAt", statedAt)
      writer.put("by", by)
      writer.put("event", event)
      writer.put("ofOriginal", isOfOriginal)
      return .object(writer.members)
    }
  }

  /// How consent stands.
  public struct Consent: Sendable, Equatable, MemberValue {
    public var state: State
    /// The record or declaration that says so, in words.
    public var words: String
    /// Id of the event that allows or forbids it.
    public var event: String?

    public init(state: State, words: String, event: String? = nil) {
      self.state = state
      self.words = words
      self.event = event
    }

    public enum State: String, Sendable, ClosedWord { case allowed, withdrawn, unknown }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("state", state)
      writer.put("words", words)
      writer.put("event", event)
      return .object(writer.members)
    }
  }

  /// One event in a line.
  public struct Happening: Sendable, Equatable, MemberValue {
    public var position: Int64
    public var at: Int64
    /// Type of the event.
    public var type: String
    public var gist: String

    public init(position: Int64, at: Int64, type: String, gist: String) {
      self.position = position
      self.at = at
      self.type = type
      self.gist = gist
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("position", String(position))
      writer.put("at", at)
      writer.put("type", type)
      writer.put("gist", gist)
      return .object(writer.members)
    }
  }

  /// Where the events of the purchase stop being understood.
  public struct Stuck: Sendable, Equatable, MemberValue {
    public var position: Int64
    public var error: String

    public init(position: Int64, error: String) {
      self.position = position
      self.error = error
    }

    public var json: JSONValue {
      var writer = MemberWriter(additional: JSONObject())
      writer.put("position", String(position))
      writer.put("error", error)
      return .object(writer.members)
    }
  }
}

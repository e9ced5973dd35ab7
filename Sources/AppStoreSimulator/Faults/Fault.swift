import JSON

/// Something that goes wrong on order.
enum Fault: Equatable, Sendable {
  /// How a Retry-After is written.
  enum RetryAfterForm: String, CaseIterable, Sendable {
    /// An instant in milliseconds since 1970, as Apple does it.
    case milliseconds
    /// An instant in seconds since 1970.
    case secondsSince1970
    /// So many seconds from now, as RFC 9110 has it.
    case secondsFromNow
  }

  // Of calls, most of all of the one that brings an answer.

  /// 401, whatever the token.
  case unauthenticated
  /// 429.
  /// - aheadMilliseconds: from now on the set clock to the instant in Retry-After; below 0 for the past.
  case rateLimited(aheadMilliseconds: Int64, RetryAfterForm)
  /// 500 with 5000000.
  case serverError
  /// Any status, with any body.
  case error(ToldReply)
  /// The reply comes late, by the machine's clock: that is where time-outs are counted.
  case slow(milliseconds: Int64)
  /// The answer is taken and remembered, and the connection breaks before the reply.
  case lostReply
  /// The connection breaks before the answer is looked at.
  case cut
  /// The Date field is off by so much.
  case skewedDate(milliseconds: Int64)

  // Of the delivery of a notification.

  /// The same notification so many times in all, at once or one after the other.
  case duplicate(copies: Int, together: Bool)
  /// Kept back until another notification was tried.
  case hold
  /// The attempt gets lost on the way.
  case drop
  /// The attempt comes later, on the set clock.
  case delay(milliseconds: Int64)

  /// Where a fault applies.
  enum Place: String, CaseIterable, Sendable {
    case answer, delivery
  }

  var place: Place {
    switch self {
    case .unauthenticated, .rateLimited, .serverError, .error, .slow, .lostReply, .cut, .skewedDate: .answer
    case .duplicate, .hold, .drop, .delay: .delivery
    }
  }

  /// What it is called in calls and records.
  var name: String {
    switch self {
    case .unauthenticated: "unauthenticated"
    case .rateLimited: "rateLimited"
    case .serverError: "serverError"
    case .error: "error"
    case .slow: "slow"
    case .lostReply: "lostReply"
    case .cut: "cut"
    case .skewedDate: "skewedDate"
    case .duplicate: "duplicate"
    case .hold: "hold"
    case .drop: "drop"
    case .delay: "delay"
    }
  }

  /// Faults of one aspect exclude each other: the first one on order applies. Those of different aspects go together, such as
  /// a reply that is slow and tells of an overload.
  var aspect: Int {
    switch self {
    case .unauthenticated, .rateLimited, .serverError, .error, .lostReply, .cut: 0
    case .slow: 1
    case .skewedDate: 2
    case .duplicate, .drop: 3
    case .hold, .delay: 4
    }
  }

  /// Whether it puts an attempt off; it is asked for once for each notification.
  var putsOff: Bool { aspect == 4 }
}

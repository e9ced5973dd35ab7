/// What version a stream must have for a call to be written.
public enum ExpectedVersion: Sendable, Equatable {
  case any
  /// The stream has no event yet; the same as `exactly(0)`.
  case none
  case exactly(Int64)

  func isMet(by version: Int64) -> Bool {
    switch self {
    case .any: true
    case .none: version == 0
    case .exactly(let expected): version == expected
    }
  }
}

/// What became of a call. Every caller looks at it: a conflict is an answer, not a failure.
public enum AppendOutcome: Sendable, Equatable {
  /// All events of the call are in the log, in the order given.
  case recorded([Recording])
  /// A stream had another version than expected; nothing of the call was written.
  case conflict(stream: StreamName, actual: Int64)

  public enum Recording: Sendable, Equatable {
    case appended(Position)
    /// The id was there before. `same` tells whether stream, type, schema, data and seams are equal too.
    case duplicate(first: Position, same: Bool)

    public var position: Position {
      switch self {
      case .appended(let position), .duplicate(let position, _): position
      }
    }
  }
}

/// Why a call was not answered. Calling again with the same ids is always safe.
public enum AppendError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Written or not, nobody knows yet: the disk did not answer in time, or failed in the middle.
  case unknown(String)
  /// Nothing of the call was written.
  case notWritten(String)
  /// Nothing was written, and it never will be as it is: a name or its data is beyond the bounds. Says nothing about
  /// whether the log can be written.
  case refused(String)
  /// Nothing was written: more is waiting than the log may hold in memory.
  case overloaded(waiting: Int)
  /// Nothing was written: the log is being closed.
  case closed

  public var description: String {
    switch self {
    case .unknown(let why): "whether the events were written is unknown: \(why); append them again with the same ids"
    case .notWritten(let why), .refused(let why): "the events were not written: \(why)"
    case .overloaded(let waiting): "the events were not written: \(waiting) calls are waiting for the disk already"
    case .closed: "the events were not written: the log is closed"
    }
  }
}

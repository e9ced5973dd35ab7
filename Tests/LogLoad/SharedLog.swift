import EventLog
import JSON

/// What several processes append to and follow: ours, or one that is known to be wrong.
protocol SharedLog: Sendable {
  /// For one thread.
  func writer() throws -> any SharedLogWriter
  /// For one thread, from the beginning.
  func follower() throws -> any SharedLogFollower
  /// What the log measures of itself: `walBytes`, `checkpointAgeMs`; nothing where it measures nothing.
  func figures() -> JSONObject
  func close()
}

protocol SharedLogWriter {
  /// Appends what is new of one call and waits until it is kept.
  func append(_ events: [EventDraft], expecting: [StreamName: ExpectedVersion]) throws -> AppendOutcome
}

protocol SharedLogFollower {
  /// What came after what was given last: its position and the instant it carries.
  func next() throws -> [(position: Int64, at: Int64)]
  func wait(milliseconds: Int)
}

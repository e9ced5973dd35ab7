import Contracts
public import EventLog
import Service

/// Whether answers go to Apple, folded from the stream `log`: not between a restore and the word of a person that
/// sending goes on.
public struct SendingState: Codable, Equatable, Sendable {
  /// Version of the stream up to which it is folded.
  public private(set) var version: Int64 = 0
  /// The newest restore.
  var restore: Restore?
  /// Position of the newest SendingResumed; 0 where there is none.
  var resumed: Int64 = 0

  struct Restore: Codable, Equatable, Sendable {
    /// Of its event.
    var position: Int64
    /// This and the next: milliseconds since 1970, UTC.
    var at: Int64
    /// What happened after this instant and before the restore is not in the log. The instant of the restore where the
    /// event does not tell it.
    var backupAt: Int64
  }

  public init() {}

  /// Since when nothing is sent, milliseconds since 1970, UTC; nil where sending goes on.
  public var pausedSince: Int64? { restore.flatMap { $0.position > resumed ? $0.at : nil } }

  /// Whether Apple may have been told something about a request that the log does not know: it could be answered between
  /// the newest backup that was restored and its restore, and the log of before does not tell its end.
  func mayHide(answerTo request: RefundRequest, closed: Int64) -> Bool {
    guard let restore, min(request.signedAt, request.receivedAt) < restore.at, closed > restore.backupAt else {
      return false
    }
    if let withheld = request.withheld, withheld.at < restore.at { return false }
    return !request.attempts.contains { $0.sentAt != nil && $0.position < restore.position }
  }

  /// What of the past nobody knows, for people; nil where nothing was restored.
  var gap: String? {
    restore.map {
      "what was sent to Apple between the backup of \(RFC3339.text($0.backupAt)) and its restore on "
        + "\(RFC3339.text($0.at)) is not known"
    }
  }

  /// Takes the next event of the stream. One that cannot be read changes as little as it may: a restore pauses whatever
  /// it says, and what should end the pause and cannot be read does not.
  mutating func fold(_ event: RecordedEvent) {
    version = event.version
    switch EventType(rawValue: event.type) {
    case .logRestored:
      let told = event.data.flatMap { try? LogRestored(data: $0, schema: event.schema) }
      restore = Restore(
        position: event.position.value, at: event.occurredAt, backupAt: told?.backupAt ?? event.occurredAt)
    case .sendingResumed:
      guard let data = event.data, (try? SendingResumed(data: data, schema: event.schema)) != nil else { return }
      resumed = event.position.value
    default: return
    }
  }

  /// As a log tells it at this instant.
  public init(in log: any EventLog) throws(LogReadError) {
    while true {
      let events = try log.read(stream: StreamName(Streams.log), after: version, limit: 100)
      if events.isEmpty { return }
      for event in events { fold(event) }
    }
  }
}

import EventLog

/// The event of a stream that could not be folded; what comes after it in the stream is left alone.
struct StuckMark: Sendable, Equatable {
  var stream: StreamName
  var position: Position
  var version: Int64
  var error: String

  init(_ event: RecordedEvent, error: some Error) {
    stream = event.stream
    position = event.position
    version = event.version
    self.error = "\(error)"
  }
}

/// What follows is for reading much of a log at once: each call is one short read transaction, so that it never holds
/// up the log's checkpoints; a caller goes through a long log by calling again. These defaults serve every log; a log
/// that can do better brings its own.
extension EventLog {
  public func streams(
    ofKinds kinds: [String], after start: Position, through end: Position
  ) throws(LogReadError) -> [StreamName] {
    var found: [StreamName] = []
    for event in try read(after: start, limit: Int(end.value - start.value)) where event.position <= end {
      if event.isOf(kinds) { found.append(event.stream) }
    }
    return found
  }

  public func streams(named prefix: String, after last: StreamName?, limit: Int) throws(LogReadError) -> [StreamName] {
    var names: Set<String> = []
    var position = Position.start
    while true {
      let events = try read(after: position, limit: 1_000)
      guard let end = events.last else { break }
      for event in events where event.stream.text.utf8.starts(with: prefix.utf8) { names.insert(event.stream.text) }
      position = end.position
    }
    let order = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let rest = last.map { last in order.drop { !last.text.utf8.lexicographicallyPrecedes($0.utf8) } } ?? order[...]
    return rest.prefix(limit).map(StreamName.init)
  }

  /// Passes over all events of a type.
  public func read(
    streams: [StreamName], through end: Position, passingOver type: String?, _ body: (RecordedEvent) -> Void
  ) throws(LogReadError) {
    try read(streams: streams, through: end, passingOver: type, butOfKinds: [], body)
  }

  public func read(
    streams: [StreamName], through end: Position, passingOver type: String?, butOfKinds kinds: [String],
    _ body: (RecordedEvent) -> Void
  ) throws(LogReadError) {
    for stream in streams {
      var version: Int64 = 0
      while true {
        let events = try read(stream: stream, after: version, limit: 500)
        guard let last = events.last else { break }
        for event in events where event.position <= end && (event.type != type || event.isOf(kinds)) {
          body(event)
        }
        version = last.version
        if last.position >= end { break }
      }
    }
  }

  public func version(of stream: StreamName, through end: Position) throws(LogReadError) -> Int64 {
    var version: Int64 = 0
    try read(streams: [stream], through: end, passingOver: nil) { version = $0.version }
    return version
  }
}

extension RecordedEvent {
  /// Whether its kind is one of those named, or one of them with something after a slash.
  fileprivate func isOf(_ kinds: [String]) -> Bool {
    guard let kind else { return false }
    return kinds.contains { kind == $0 || kind.utf8.starts(with: "\($0)/".utf8) }
  }
}

extension EventLog {
  /// Writes and waits; for owned threads.
  public func append(
    _ events: [EventDraft], expecting: [StreamName: ExpectedVersion] = [:]
  ) throws(AppendError) -> AppendOutcome {
    let answer = Answer<AppendOutcome>()
    submit(events, expecting: expecting, then: answer.give)
    return try answer.wait()
  }

  /// The received token of a notification, spliced together again from data and seams; nil where the event has
  /// none or was erased.
  public func signedToken(of event: RecordedEvent) throws(LogReadError) -> [UInt8]? {
    guard let data = event.data, let bytes = event.seams, let seams = Seams(decoding: bytes) else { return nil }
    var headers: [[UInt8]: [UInt8]] = [:]
    for digest in seams.headerDigests { headers[digest] = try header(digest: digest) }
    return seams.token(in: data) { headers[$0] }
  }
}

public import Service

/// What a log measures of itself while a service writes it; docs/operating.md says what each figure tells.
public final class LogMetrics: Sendable {
  private let gateSeconds: Histogram
  private let commitSeconds: Histogram
  private let batchCalls: Histogram
  /// Instant of `MonotonicClock` when the whole write-ahead log was last seen to be in the file.
  private let wholeAt = Gauge()
  private let files: LogFiles
  private let looked = Monitor(Looked())

  /// What `look` saw last.
  private struct Looked {
    var head: Double?
    var bytes: Double?
    var writeAheadBytes: Double?
  }

  /// Registers the figures.
  public init(_ registry: MetricRegistry, folder: String) {
    files = LogFiles(folder: folder)
    let wholeAt = wholeAt
    let looked = looked
    wholeAt.set(Double(MonotonicClock.milliseconds()))
    registry.measured("refundlog_log_head_position", "Position of the newest event in the log.") {
      looked.withLock { $0.head }
    }
    registry.measured("refundlog_log_bytes", "Bytes of the log's file.") { looked.withLock { $0.bytes } }
    registry.measured("refundlog_log_wal_bytes", "Bytes of the log's write-ahead log.") {
      looked.withLock { $0.writeAheadBytes }
    }
    commitSeconds = registry.histogram(
      "refundlog_log_commit_seconds", "Seconds that a batch takes under the gate, from its begin until it is on disk.")
    batchCalls = registry.histogram(
      "refundlog_log_batch_calls", "Calls that were written with one sync.",
      bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    gateSeconds = registry.histogram(
      "refundlog_log_gate_wait_seconds", "Seconds that a batch waits until other processes have written theirs.")
    registry.measured(
      "refundlog_log_checkpoint_age_seconds",
      "Seconds since all of the write-ahead log was last seen copied into the file, or since the start."
    ) { (Double(MonotonicClock.milliseconds()) - wholeAt.value) / 1_000 }
  }

  /// Looks at the files, which may wait for the disk.
  /// - Parameter seen: newest position that this process knows. The bell tells of other processes too, and may be absent.
  func look(seen: Position) {
    let head = max(seen, Bell.reading(at: files.bell)?.position ?? .start)
    let found = Looked(
      head: Double(head.value), bytes: Self.bytes(files.events), writeAheadBytes: Self.bytes(files.writeAhead))
    looked.change { $0 = found }
  }

  func waited(nanoseconds: Int64) { gateSeconds.observe(Double(nanoseconds) / 1e9) }

  func committed(calls: Int, nanoseconds: Int64) {
    commitSeconds.observe(Double(nanoseconds) / 1e9)
    batchCalls.observe(Double(calls))
  }

  /// Called where a checkpoint reached the end of the write-ahead log, and where that begins anew, which it only does
  /// after one.
  func copiedAll() { wholeAt.set(Double(MonotonicClock.milliseconds())) }

  private static func bytes(_ path: String) -> Double? { Files.size(path).map { Double($0) } }
}

import Service

/// Looks at a log's files for its figures, once a second on a thread of its own: whoever scrapes them asks on a network
/// thread, which waits for no disk.
final class LogWatch: Sendable {
  private static let intervalMilliseconds: Int64 = 1_000

  private let isClosed = Monitor(false)
  private let thread: OwnedThread

  /// Looks once before it returns, so that nothing is absent.
  init(_ metrics: LogMetrics, _ memory: LogMemory) {
    let isClosed = isClosed
    metrics.look(seen: memory.bookmark.position)
    thread = OwnedThread(name: "log.figures") {
      while isClosed.wait(until: MonotonicClock.milliseconds() + Self.intervalMilliseconds, { $0 ? true : nil }) == nil
      {
        metrics.look(seen: memory.bookmark.position)
      }
    }
  }

  func close() {
    isClosed.change { $0 = true }
    thread.join()
  }
}

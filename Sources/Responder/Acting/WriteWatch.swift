import EventLog
import Service

/// What the log does with what this responder writes: one count for its loop, what it declares and its senders, of
/// which any may be the first to find that nothing can be written, or that it can again. `/readyz` tells it.
final class WriteWatch: Sendable {
  private let log: any EventLog
  private let metrics: ResponderMetrics
  private let logger: Logger
  private let refusals = Monitor(Refusals())

  init(log: any EventLog, metrics: ResponderMetrics, logger: Logger) {
    self.log = log
    self.metrics = metrics
    self.logger = logger
  }

  /// The log took something of ours.
  func took() { clear("the log takes again what this responder writes") }

  /// The log did not take something of ours. What it would never take, and what comes while it is closed, says nothing
  /// about whether it can be written.
  func didNotTake(_ error: AppendError) {
    switch error {
    case .refused, .closed: return
    case .notWritten, .unknown, .overloaded: break
    }
    let head = head
    refusals.withLock {
      $0.add("\(error)", at: MonotonicClock.milliseconds(), head: head)
      metrics.isNotWritten("nothing can be written into the log: \(error)")
    }
  }

  /// Looks, while another responder leads, whether the log has grown since it refused something here. Until then nobody
  /// is known who can write, and this responder is not ready.
  func lookWhetherOthersWrite() {
    guard refusals.withLock({ $0.reason != nil }), let head else { return }
    if refusals.withLock({ $0.areOver(at: head) }) { clear("another one writes into the log again") }
  }

  /// Why the lead should be given up; nil where nothing is refused, or not for long.
  var lasting: String? { refusals.withLock { $0.lasting } }

  func countAnew() { refusals.withLock { $0.countAnew() } }

  /// Whether it was said that the lead is given up, and nobody is known to have written since.
  var isSaid: Bool { refusals.withLock { $0.isSaid } }

  func said() { refusals.withLock { $0.isSaid = true } }

  private func clear(_ words: StaticString) {
    let wasSaid = refusals.withLock { refusals in
      let wasSaid = refusals.isSaid
      refusals = Refusals()
      metrics.isNotWritten(nil)
      return wasSaid
    }
    if wasSaid { logger.info(words) }
  }

  /// nil where the log cannot be read at the moment; who follows it tells why.
  private var head: Position? {
    do throws(LogReadError) { return try log.head().position } catch { return nil }
  }
}

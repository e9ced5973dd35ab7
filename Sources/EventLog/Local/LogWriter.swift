import Glibc
import Service

/// Group commit: one thread takes all waiting calls, writes them in one transaction and syncs once. A second
/// thread answers the calls that the disk keeps waiting for too long.
final class LogWriter: Sendable {
  /// Calls and bytes of one transaction, so that one commit stays short.
  private static let batchCallsMax = 512
  private static let batchBytesMax = 8 << 20
  /// Calls and bytes that may wait; beyond them callers are refused at once.
  private static let waitingCallsMax = 20_000
  private static let waitingBytesMax = 64 << 20

  /// How long the callers of one batch are waited for, at most.
  private static let gatherMilliseconds: Int64 = 1

  private struct Queue {
    var calls: [PendingCall] = []
    var bytes = 0
    var isClosed = false
  }

  private let queue = Monitor(Queue())
  private let unanswered = Monitor((calls: [PendingCall](), isClosed: false))
  private let threads: [OwnedThread]

  /// - Parameters:
  ///   - committer: handed over; from here on only the writer thread touches it.
  ///   - gate: the committer's, to tell what it waits for.
  init(_ committer: LogCommitter, gate: Gate) {
    let queue = queue
    let unanswered = unanswered
    threads = [
      OwnedThread(name: "log.writer") {
        var before = 0
        while Self.waitForCalls(queue, after: before) {
          let answered = committer.commit { Self.nextBatch(queue) }
          for one in answered { one.give() }
          before = answered.count
          committer.checkpointIfDue()
        }
        committer.close()
      },
      OwnedThread(name: "log.deadlines") { Self.answerLateCalls(unanswered, gate) },
    ]
  }

  func submit(_ call: PendingCall) {
    let objection: AppendError? = queue.change { queue in
      if queue.isClosed { return .closed }
      guard queue.calls.count < Self.waitingCallsMax, queue.bytes + call.bytes <= Self.waitingBytesMax else {
        return .overloaded(waiting: queue.calls.count)
      }
      queue.calls.append(call)
      queue.bytes += call.bytes
      return nil
    }
    if let objection { return call.resolve(.failure(objection)) }
    unanswered.change { $0.calls.append(call) }
  }

  /// Takes nothing more, writes what waits, and returns when the files are closed.
  func close() {
    queue.change { $0.isClosed = true }
    threads[0].join()
    unanswered.change { $0.isClosed = true }
    threads[1].join()
  }

  /// - Parameter before: calls of the batch before. Who got an answer there mostly calls again at once: taking the
  ///   first of them alone would cost a sync for it and let all others wait for the next, so they are given a moment.
  ///   Where nobody called within such a moment, the batch before says nothing any more, and nobody is waited for.
  /// - Returns: false where there is nothing more to come.
  private static func waitForCalls(_ queue: Monitor<Queue>, after before: Int) -> Bool {
    let answered = MonotonicClock.milliseconds()
    if before > 1, queue.wait({ $0.calls.isEmpty && !$0.isClosed ? nil : true }) != nil,
      MonotonicClock.milliseconds() - answered <= gatherMilliseconds
    {
      _ = queue.wait(until: MonotonicClock.milliseconds() + gatherMilliseconds) {
        $0.calls.count >= before || $0.isClosed ? true : nil
      }
    }
    return queue.wait { $0.calls.isEmpty ? ($0.isClosed ? false : nil) : true }!
  }

  private static func nextBatch(_ queue: Monitor<Queue>) -> [PendingCall] {
    queue.withLock { queue in
      var bytes = 0
      var count = 0
      while count < min(queue.calls.count, batchCallsMax), count == 0 || bytes < batchBytesMax {
        bytes += queue.calls[count].bytes
        count += 1
      }
      let batch = Array(queue.calls[..<count])
      queue.calls.removeFirst(count)
      queue.bytes -= bytes
      return batch
    }
  }

  /// Sleeps while nobody waits; else looks twenty times a second, so that what was answered is let go soon.
  private static func answerLateCalls(
    _ unanswered: Monitor<(calls: [PendingCall], isClosed: Bool)>, _ gate: Gate
  ) {
    while unanswered.wait({ $0.isClosed ? false : $0.calls.isEmpty ? nil : true }) == true {
      usleep(50_000)
      let now = MonotonicClock.milliseconds()
      let late = unanswered.withLock { state in
        state.calls.removeAll { $0.isResolved }
        let late = state.calls.filter { $0.deadline <= now }
        state.calls.removeAll { $0.deadline <= now }
        return late
      }
      if late.isEmpty { continue }
      let why = gate.holdUp ?? "the disk did not answer within \(AppendDeadline.milliseconds) ms"
      for call in late { call.resolve(.failure(.unknown(why))) }
    }
  }
}

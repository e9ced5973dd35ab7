import AppStore
import HTTPClient
import HTTPTypes
import JSON
import Service

/// Signs and posts notifications, on threads of its own: network threads only hand over. Those of one purchase go one after
/// the other; a receiver that is slow with one does not hold up the others.
final class Postman: Sendable {
  /// One notification to be posted.
  struct Job: Sendable {
    /// Not before this instant of the clock.
    var due: Int64
    /// Usually the purchase: what has the same lane is posted in the order in which it is due. nil has no order.
    var lane: String?
    /// A scenario's; else a call waits for it.
    var isPlanned = false
    /// Makes the decoded payload when the time has come; nil when there is nothing to say any more.
    var compose: @Sendable (_ now: Int64) -> JSONObject?
    /// Called once, on a thread of the postman or of whoever stops it: with the record after the first attempt or once that was
    /// put off; with nil where nothing was posted.
    var done: @Sendable (PostRecord?) -> Void
  }

  private static let threads = 4

  private let courier: Courier
  private let queue: Monitor<PostQueue>
  private let workers: [OwnedThread]

  /// Starts the threads.
  init(signer: NotificationSigner, courier: Courier, ledger: Ledger, clock: WallClock) {
    let queue = courier.queue
    self.queue = queue
    self.courier = courier
    workers = (0..<Self.threads).map { index in
      OwnedThread(name: "postman-\(index)") {
        let client = HTTPClient(settings: courier.client)
        while let entry = Self.next(queue, clock) {
          switch entry.work {
          case .compose(let job):
            let now = clock.now()
            if let payload = job.compose(now) {
              let signed = signer.sign(payload, now: now)
              let record = ledger.note(PostRecord(signed, now: now))
              if let kept = KeptToken(signed.token) { ledger.keep(kept, number: record) }
              let letter = Letter(signed: signed, record: record)
              job.done(courier.deliver(letter, client))
            } else {
              job.done(nil)
            }
          case .attempt(let letter): _ = courier.deliver(letter, client)
          }
          queue.change { $0.leave(entry.lane) }
        }
      }
    }
  }

  /// - Returns: false when too many jobs are waiting, or the postman has been stopped; then nothing will be called.
  func take(_ job: Job) -> Bool {
    queue.change { $0.add(.compose(job), due: job.due, kind: job.isPlanned ? .planned : .asked, lane: job.lane) }
  }

  /// Lets go what a fault holds back.
  func release(now: Int64) { queue.change { $0.release(now: now) } }

  /// Ends after the attempts under way; what still waits is dropped. Further calls return at once.
  func stop() {
    let dropped = queue.change { $0.stop() }
    for entry in dropped {
      if case .compose(let job) = entry.work { job.done(nil) }
    }
    for worker in workers { worker.join() }
  }

  private enum Step: Sendable { case take(PostQueue.Entry), look, stop }

  /// What to do now; nil when told to stop.
  private static func next(_ queue: Monitor<PostQueue>, _ clock: WallClock) -> PostQueue.Entry? {
    while true {
      let (due, news) = queue.withLock { ($0.nextDue, $0.news) }
      // Looked at once a second at least: the clock may be set.
      let pause = due.map { min(clock.realMilliseconds(until: $0), 1000) }
      let deadline = pause.map { MonotonicClock.milliseconds() + $0 }
      let step: Step? = queue.wait(until: deadline) { queue in
        if queue.isStopping { return .stop }
        if let entry = queue.takeDue(at: clock.now()) { return .take(entry) }
        return queue.news == news ? nil : .look
      }
      switch step {
      case .take(let entry): return entry
      case .stop: return nil
      case .look, nil: continue
      }
    }
  }
}

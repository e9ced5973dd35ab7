import HTTPClient
import HTTPTypes
import JSON
import Service

/// Signs and posts notifications, one after the other, on a thread of its own: network threads only hand over.
final class Postman: Sendable {
  /// Jobs that may wait; the next is refused.
  static let waitingMax = 1000

  /// One notification to be posted.
  struct Job: Sendable {
    /// Not before this instant of the clock.
    var due: Int64
    /// Makes the decoded payload when the time has come; nil when there is nothing to say any more.
    var compose: @Sendable (_ now: Int64) -> JSONObject?
    /// Called once, on the postman's thread, unless `compose` gave nil.
    var done: @Sendable (PostRecord) -> Void
  }

  private struct Queue {
    var jobs: [Job] = []
    var isStopping = false
    /// A job came, so the time to wait may be another.
    var hasNews = false
  }

  private enum Step: Sendable { case post(Job), look, stop }

  private let queue: Monitor<Queue>
  private let thread: OwnedThread

  /// Starts the thread.
  /// - Parameter url: where to; nil makes every job fail with a sentence about the setting.
  init(
    signer: NotificationSigner, url: HTTPURL?, client settings: HTTPClientSettings, clock: WallClock, ledger: Ledger,
    log: Logger
  ) {
    let queue = Monitor(Queue())
    self.queue = queue
    thread = OwnedThread(name: "postman") {
      let client = HTTPClient(settings: settings)
      while true {
        switch Self.next(queue, clock) {
        case .stop: return
        case .look: continue
        case .post(let job):
          let now = clock.now()
          guard let payload = job.compose(now) else { continue }
          let record = Self.post(signer.sign(payload, now: now), to: url, now: now, client)
          ledger.note(record)
          Self.say(record, log)
          job.done(record)
        }
      }
    }
  }

  /// - Returns: false when too many jobs are waiting, or the postman has been stopped; then nothing will be called.
  func take(_ job: Job) -> Bool {
    queue.change { queue in
      guard !queue.isStopping, queue.jobs.count < Self.waitingMax else { return false }
      queue.jobs.append(job)
      queue.hasNews = true
      return true
    }
  }

  /// Ends after the post under way; what still waits is dropped. Further calls return at once.
  func stop() {
    queue.change { queue in
      queue.isStopping = true
      queue.jobs = []
    }
    thread.join()
  }

  /// What to do now. The first due job goes first, in the order in which they were taken.
  private static func next(_ queue: Monitor<Queue>, _ clock: WallClock) -> Step {
    let now = clock.now()
    let earliest = queue.withLock { queue in
      queue.hasNews = false
      return queue.jobs.map(\.due).min()
    }
    // Looked at once a second at least: the clock may be set.
    let pause = earliest.map { min(clock.realMilliseconds(until: $0), 1000) }
    let deadline = pause.map { MonotonicClock.milliseconds() + $0 }
    let step: Step? = queue.wait(until: deadline) { queue in
      if queue.isStopping { return .stop }
      if let index = queue.jobs.firstIndex(where: { $0.due <= now }) { return .post(queue.jobs.remove(at: index)) }
      return queue.hasNews ? .look : nil
    }
    return step ?? .look
  }

  private static func say(_ record: PostRecord, _ log: Logger) {
    let fields: Logger.Fields = [
      "notification.id": .text(record.notificationUUID ?? ""),
      "notification.type": .text(record.notificationType ?? ""), "transaction.id": .text(record.transactionId ?? ""),
      "status": .integer(Int64(record.status ?? 0)), "error": .text(record.error ?? ""),
    ]
    if record.status.map({ (200...206).contains($0) }) ?? false {
      log.info("notification taken", fields)
    } else {
      log.warning("notification not taken", fields)
    }
  }

  private static func post(
    _ signed: NotificationSigner.Signed, to url: HTTPURL?, now: Int64, _ client: HTTPClient
  ) -> PostRecord {
    var record = PostRecord(
      notificationUUID: signed.payload["notificationUUID"]?.string,
      notificationType: signed.payload["notificationType"]?.string, subtype: signed.payload["subtype"]?.string,
      transactionId: signed.transactionId, postedAt: now)
    guard let url else {
      record.error = "no notificationURL is set: name the receiver's address in the settings"
      return record
    }
    let request = HTTPClientRequest(
      .post, url, fields: ["Content-Type": "application/json", "User-Agent": "App Store Simulator"], body: signed.body)
    do throws(HTTPClientError) {
      record.status = try client.send(request).status
    } catch {
      record.error = error.description
    }
    return record
  }
}

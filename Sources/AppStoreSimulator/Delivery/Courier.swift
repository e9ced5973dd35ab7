import AppStore
import HTTPClient
import HTTPTypes
import JSON
import Service

/// Carries a signed notification to the receiver: faults on order, attempts, and the next one on the schedule. Blocks, so it
/// is for the postman's threads alone.
struct Courier: Sendable {
  /// nil tries nothing, and says so.
  let url: HTTPURL?
  let client: HTTPClientSettings
  let schedule: RedeliverySchedule
  let faults: FaultBook
  let queue: Monitor<PostQueue>
  let ledger: Ledger
  let clock: WallClock
  let log: Logger

  init(settings: SimulatorSettings, faults: FaultBook, ledger: Ledger, log: Logger) {
    url = settings.notificationURL
    schedule = settings.redelivery
    clock = settings.clock
    (self.faults, self.ledger, self.log) = (faults, ledger, log)
    queue = Monitor(PostQueue())
    var client = HTTPClientSettings()
    client.authoritiesPath = settings.authoritiesPath
    client.connectMilliseconds = settings.replyWithinMilliseconds
    client.handshakeMilliseconds = settings.replyWithinMilliseconds
    client.writeMilliseconds = settings.replyWithinMilliseconds
    client.firstByteMilliseconds = settings.replyWithinMilliseconds
    client.replyMilliseconds = settings.replyWithinMilliseconds
    self.client = client
  }

  /// - Returns: the record after the attempt, or once it was put off; nil where the record has gone.
  func deliver(_ given: Letter, _ client: HTTPClient) -> PostRecord? {
    guard let url else {
      return ledger.change(post: given.record) {
        $0.note = "no notificationURL is set: name the receiver's address in the settings"
      }
    }
    var letter = given
    let ordered = faults.take(
      .delivery, transactionId: letter.transactionId, notificationType: letter.notificationType,
      where: { !letter.wasPutOff || !$0.putsOff })
    if let putOff = ordered.first(where: \.putsOff) {
      letter.wasPutOff = true
      if let record = self.putOff(letter, putOff) { return record }
    }
    letter.attempts += 1
    let made = attempts(letter, ordered.filter { !$0.putsOff }, url, client)
    let next = redelivery(of: letter, after: made)
    let record = ledger.change(post: letter.record) { record in
      record.note(made)
      record.nextAttemptAt = next.at
      record.note = next.note
    }
    queue.change { $0.release(now: clock.now()) }
    if let record { say(record) }
    return record
  }

  // MARK: Attempts

  private func attempts(
    _ letter: Letter, _ faults: [Fault], _ url: HTTPURL, _ client: HTTPClient
  ) -> [DeliveryAttempt] {
    let names = faults.map(\.name)
    func marked(_ attempt: DeliveryAttempt) -> DeliveryAttempt {
      var attempt = attempt
      attempt.faults = names
      return attempt
    }
    switch faults.first {
    case .drop?:
      let lost = DeliveryAttempt(
        attemptDate: clock.now(), result: .noResponse, status: nil, error: "it was lost on the way, as ordered")
      return [marked(lost)]
    case .duplicate(let copies, let together)?:
      if together { return atOnce(letter, copies, url).map(marked) }
      return (0..<copies).map { _ in marked(post(letter, url, client)) }
    default: return [post(letter, url, client)]
    }
  }

  private func post(
    _ letter: Letter, _ url: HTTPURL, _ client: HTTPClient, whenOpen: () -> Void = {}
  ) -> DeliveryAttempt {
    let now = clock.now()
    let began = MonotonicClock.milliseconds()
    let request = HTTPClientRequest(
      .post, url, fields: ["Content-Type": "application/json", "User-Agent": "App Store Simulator"],
      body: letter.signed.body)
    do throws(HTTPClientError) {
      let response = try client.send(
        request,
        mayWrite: {
          whenOpen()
          return true
        })
      return DeliveryAttempt(response, from: url, at: now)
    } catch {
      // A connection has a time of its own, which is the same.
      let isLate = MonotonicClock.milliseconds() - began >= self.client.firstByteMilliseconds
      return DeliveryAttempt(error, isLate: isLate, at: now)
    }
  }

  /// Copies on connections of their own, each written once all are open.
  private func atOnce(_ letter: Letter, _ copies: Int, _ url: HTTPURL) -> [DeliveryAttempt] {
    let open = Monitor(0)
    let made = Monitor<[DeliveryAttempt]>([])
    let threads = (0..<copies).map { index in
      OwnedThread(name: "copy-\(index)") {
        let attempt = post(letter, url, HTTPClient(settings: client)) {
          open.change { $0 += 1 }
          // One that does not come about keeps the others waiting no longer than this.
          let deadline = MonotonicClock.milliseconds() + 1000
          _ = open.wait(until: deadline) { $0 < copies ? nil : true }
        }
        made.withLock { $0.append(attempt) }
      }
    }
    for thread in threads { thread.join() }
    return made.withLock { $0 }
  }

  // MARK: Later

  /// - Returns: nil where there is no room to keep it: then it goes out now.
  private func putOff(_ letter: Letter, _ fault: Fault) -> PostRecord? {
    var due: Int64?
    let isKept: Bool
    if case .delay(let milliseconds) = fault {
      let at = clock.now() + milliseconds
      due = at
      isKept = queue.change { $0.add(.attempt(letter), due: at, kind: .signed, lane: nil) }
    } else {
      isKept = queue.change { $0.hold(letter) }
    }
    guard isKept else { return nil }
    return ledger.change(post: letter.record) { [due] record in
      record.faults.append(fault.name)
      record.nextAttemptAt = due
    }
  }

  private func redelivery(of letter: Letter, after made: [DeliveryAttempt]) -> (at: Int64?, note: String?) {
    guard let last = made.last, !made.contains(where: { $0.result == .success }),
      let wait = schedule.wait(after: letter.attempts, in: letter.signed.environment)
    else { return (nil, nil) }
    let at = last.attemptDate + wait
    guard queue.change({ $0.add(.attempt(letter), due: at, kind: .signed, lane: nil) }) else {
      return (nil, "it is not tried again: \(PostQueue.Kind.signed.max) notifications wait already, or it stops")
    }
    return (at, nil)
  }

  private func say(_ record: PostRecord) {
    let fields: Logger.Fields = [
      "notification.id": .text(record.notificationUUID ?? ""),
      "notification.type": .text(record.notificationType ?? ""), "transaction.id": .text(record.transactionId ?? ""),
      "attempts": .integer(Int64(record.attempts.count)), "result": .text(record.attempts.last?.result.rawValue ?? ""),
      "status": .integer(Int64(record.status ?? 0)), "error": .text(record.error ?? ""),
      "faults": .text((record.attempts.last?.faults ?? []).joined(separator: " ")),
    ]
    if record.isTaken { log.info("notification taken", fields) } else { log.warning("notification not taken", fields) }
  }
}

extension PostRecord {
  init(_ signed: NotificationSigner.Signed, now: Int64) {
    self.init(
      notificationUUID: signed.payload["notificationUUID"]?.string,
      notificationType: signed.payload["notificationType"]?.string, subtype: signed.payload["subtype"]?.string,
      transactionId: signed.transactionId, app: signed.app, environment: signed.environment, postedAt: now)
  }
}

import AppStore
import Contracts
import EventLog
import HTTPClient
import HTTPTypes
import Responder
import Service

/// Holds what happens against the promises, with sums of its own: it looks at the log and at the wire, and at nothing
/// that the services made of them. The numbers are the invariants of the design.
final class Audit: @unchecked Sendable {
  private let world: World
  private(set) var violations: [String] = []

  private struct Request {
    var purchase: String
    var bundleID: String
    var environment: String
    var signedAt: Int64
    var receivedAt: Int64
    var account: String?
    /// When it came into the log, and when a call about it left last.
    var notedAt: Int64
    var calledAt: Int64 = .min
    var claims: [String] = []
    var isSent = false
    var isRefused = false
    var endings = 0
    /// What Apple refused for good: key, address and body of it.
    var refused: Set<String> = []
    var closed: Int64 { max(receivedAt, signedAt) + 12 * 3_600_000 }
    var lane: String { "\(bundleID) \(environment)" }
    var hasEnded: Bool { isSent || isRefused || endings > 0 }
  }

  private struct Claim {
    var request: String
    var body: String
    var position: Int64
    /// By a clock that is right.
    var claimedAt: Int64
    var sendBy: Int64
    var basis: String
    var customer: String?
    var caller: String?
    var hasResult = false
    var hasLeft = false
    var said: String { "\(caller ?? "") \(body)" }
  }

  private struct Consent {
    var id: String
    var granted: Bool
    var statedAt: Int64
  }

  /// How old a claim may grow before its call begins, DESIGN section 6.
  private static let claimLife: Int64 = 20_000

  private var read = Position.start
  private var requests: [String: Request] = [:]
  private var claims: [String: Claim] = [:]
  /// By stream, in the log's order.
  private var consents: [String: [Consent]] = [:]
  /// By request: when it came, by a clock that is right.
  private var came: [String: Int64] = [:]
  private var decisions: [String: [(id: String, signedAt: Int64)]] = [:]
  private var outcomes: [String: Int] = [:]
  private var acknowledged: Set<String> = []
  private var forgeries: Set<String> = []
  private var stored: Set<String> = []
  /// The claim of the call that somebody still waits for, by purchase; of the one that has not landed, by request.
  private var waitedFor: [String: String] = [:]
  private var underWay: [String: String] = [:]
  private(set) var calls = 0
  /// By claim: until when its call was told to wait, where Apple named an instant that can be meant.
  private var limits: [String: Int64] = [:]
  /// By app and environment: what was told to a call whose result is in the log, and where that is.
  private var waits: [String: (until: Int64, position: Int64)] = [:]
  /// By stream: since when the newest word of a customer is a consent.
  private var standsSince: [String: Int64] = [:]
  /// By app and environment: when a call was told to wait without an instant to go by, or may have been.
  private var limitedAt: [String: Int64] = [:]
  /// By app and environment: a token was refused, and none was taken since; when one was taken again; when a call left
  /// last.
  private var isRefused: Set<String> = []
  private var takenAgainAt: [String: Int64] = [:]
  private var calledAt: [String: Int64] = [:]
  private var resumedAt: Int64 = .min
  /// By app and environment: when calls left, within the last second.
  private var left: [String: [Int64]] = [:]
  private var isPaused = false
  /// What is read was read before.
  private var isSilent = false

  init(_ world: World) { self.world = world }

  func violated(_ what: String) {
    if violations.count < 20 { violations.append(what) }
    world.tell("VIOLATED: \(what)")
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { violated(what()) } }

  // MARK: The log

  /// A backup has taken the log's place: what came after it is in nobody's log, and was seen all the same.
  func wasRestored() {
    (read, requests, claims, consents) = (.start, [:], [:], [:])
    (decisions, outcomes, stored, waits, waitedFor, underWay) = ([:], [:], [], [:], [:], [:])
    standsSince = [:]
    isSilent = true
    readLog()
    isSilent = false
    acknowledged.formIntersection(stored)
  }

  private func tell(_ what: String) { if !isSilent { world.tell(what) } }

  /// Reads what was appended.
  func readLog() {
    while let events = try? world.log.read(after: read, limit: 100), let last = events.last {
      for event in events { note(event) }
      read = last.position
    }
  }

  private func note(_ event: RecordedEvent) {
    guard let data = event.data,
      let known = try? KnownEvent.read(type: event.type, schema: event.schema, data: data)
    else { return violated("\(event.id) at \(event.position) cannot be read") }
    looksForUnanswered()
    switch known {
    case .notificationReceived(let notification): note(notification, event)
    case .consentRecorded(let consent):
      consents[event.stream.text, default: []].append(
        Consent(id: event.id.text, granted: consent.granted, statedAt: consent.statedAt))
      standsSince[event.stream.text] =
        newest(of: event.stream.text)?.granted == true
        ? standsSince[event.stream.text] ?? world.scheduler.now : nil
      tell("\(consent.granted ? "consent" : "WITHDRAWAL") of \(event.stream.text.suffix(6)) in the log")
    case .consumptionPrepared(let claim): note(claim, event)
    case .consumptionSent(let sent):
      settle(sent.claim)
      requests[sent.request]?.isSent = true
      if let lane = requests[sent.request]?.lane, isRefused.remove(lane) != nil {
        takenAgainAt[lane] = world.scheduler.now
      }
      tell("\(sent.claim) was sent")
    case .consumptionFailed(let failed):
      settle(failed.claim)
      note(failed, event)
      tell(
        "\(failed.claim) failed: \(failed.failure.rawValue), \(failed.explanation), again from "
          + (failed.retryAt.map(RFC3339.text) ?? "never") + ", at \(RFC3339.text(event.occurredAt))")
    case .consumptionWithheld(let withheld):
      requests[withheld.request]?.endings += 1
      expect(requests[withheld.request]?.endings ?? 1 == 1, "I8: \(withheld.request) ended more than once")
      if withheld.reason == .expired { endsInTime(withheld.request) }
      tell("\(withheld.request) withheld: \(withheld.reason.rawValue)")
    case .outcome(let outcome):
      outcomes[event.stream.text, default: 0] += 1
      tell("outcome of \(event.stream.text): \(outcome.kind.rawValue)")
    case .logRestored: isPaused = true
    case .sendingResumed: (isPaused, resumedAt) = (false, world.scheduler.now)
    default: break
    }
  }

  /// I8: none ends for the time before its time, whatever the machine's clock says. A receipt that was dated too early by
  /// a clock that was wrong is all that the log knows of it, where Apple had signed before that.
  private func endsInTime(_ id: String) {
    guard !isSilent, let request = requests[id], let came = came[id] else { return }
    var closed = min(came + 12 * 3_600_000, request.signedAt + 7 * 24 * 3_600_000)
    if world.weather.isClockWrong { closed = min(closed, request.closed) }
    expect(
      world.scheduler.now >= closed - 300_000,
      "I8: \(id) expired \((closed - world.scheduler.now) / 60_000) min too soon")
  }

  private func note(_ failed: ConsumptionFailed, _ event: RecordedEvent) {
    let transactionID = String(event.stream.text.split(separator: "/").last!)
    switch failed.failure {
    case .refused, .fixAndSend:
      // The store of these worlds refuses no body; a token that is wrong for a while ends nothing.
      expect(
        world.unknownToApple.contains(transactionID),
        "I9: \(failed.claim) counts as refused after \(failed.explanation)")
      requests[failed.request]?.isRefused = true
      if let claim = claims[failed.claim] { requests[failed.request]?.refused.insert(claim.said) }
    case .limit:
      guard let lane = requests[failed.request]?.lane else { return }
      limitedAt[lane] = world.scheduler.now
      if let until = limits[failed.claim] { waits[lane] = (until, event.position.value) }
    case .unauthorised: if let lane = requests[failed.request]?.lane { isRefused.insert(lane) }
    case .unknown:
      expect(underWay[failed.request] != failed.claim, "I10: \(failed.claim) is given up while its call is under way")
    case .passing: break
    }
  }

  private func note(_ notification: NotificationReceived, _ event: RecordedEvent) {
    stored.insert(notification.notificationUUID)
    expect(!forgeries.contains(notification.notificationUUID), "I2: the forged \(event.id) is in the log")
    tell("\(notification.notificationType) of \(event.stream) in the log as \(event.id)")
    switch notification.notificationType {
    case "CONSUMPTION_REQUEST":
      if came[event.id.text] == nil { came[event.id.text] = world.scheduler.now }
      requests[event.id.text] = Request(
        purchase: event.stream.text, bundleID: notification.bundleID, environment: notification.environment,
        signedAt: notification.signedDate, receivedAt: notification.firstReceivedAt, account: event.customer,
        notedAt: world.scheduler.now)
    case "REFUND", "REFUND_DECLINED", "REFUND_REVERSED":
      decisions[event.stream.text, default: []].append((event.id.text, notification.signedDate))
    default: break
    }
  }

  private func note(_ claim: ConsumptionPrepared, _ event: RecordedEvent) {
    tell("\(event.id) claimed by \(claim.claimant), to be sent by \(RFC3339.text(claim.sendBy))")
    guard var request = requests[claim.request] else { return violated("\(event.id) claims what nobody asked for") }
    let customer = request.account.map { Streams.customer($0) }
    expect(stands(claim.basis, of: customer), "I3, I4: \(event.id) rests on \(claim.basis), which does not stand")
    expect(claim.sendBy <= request.closed, "I4: \(event.id) may be sent after its window closed")
    expect(
      !(decisions[request.purchase] ?? []).contains { $0.signedAt >= request.signedAt },
      "I4: \(event.id) comes after the decision")
    expect(
      !requests.values.contains {
        $0.purchase == request.purchase && $0.claims.contains { !claims[$0]!.hasResult }
      }, "I4, I10: \(event.id) was claimed while an earlier claim about the purchase had no result")
    let noted = Claim(
      request: claim.request, body: claim.body, position: event.position.value, claimedAt: world.scheduler.now,
      sendBy: claim.sendBy, basis: claim.basis, customer: customer, caller: claim.caller)
    expect(!request.refused.contains(noted.said), "I7: \(event.id) repeats what Apple refused for good")
    request.claims.append(event.id.text)
    requests[claim.request] = request
    claims[event.id.text] = noted
  }

  private func settle(_ claim: String) {
    expect(claims[claim] != nil, "a result of \(claim), which is no claim")
    claims[claim]?.hasResult = true
  }

  /// Whether a consent record is the newest of its customer, as the log says it now.
  private func stands(_ basis: String, of customer: String?) -> Bool {
    guard let customer, let records = consents[customer], let newest = newest(of: customer) else { return false }
    return newest.granted && records.contains { $0.id == basis && $0.granted && $0.statedAt == newest.statedAt }
  }

  private func newest(of customer: String) -> Consent? {
    consents[customer]?.max {
      $0.statedAt != $1.statedAt ? $0.statedAt < $1.statedAt : ($0.granted && !$1.granted)
    }
  }

  // MARK: What waits

  /// I9: whatever could be answered is called about. Between two calls lie five minutes at most; who was limited may wait
  /// for an hour.
  func looksForUnanswered() {
    guard !isSilent, !isPaused, !world.weather.isClockWrong, let quiet = world.quietSince else { return }
    for (id, request) in requests where !request.hasEnded {
      guard let account = request.account, let consent = standsSince[Streams.customer(account)],
        !(decisions[request.purchase] ?? []).contains(where: { $0.signedAt >= request.signedAt })
      else { continue }
      let limit = limitedAt[request.lane].map { $0 + 3_600_000 } ?? .min
      // After a refused token one call for all of an app goes first.
      let called = isRefused.contains(request.lane) ? calledAt[request.lane] ?? .min : request.calledAt
      let taken = takenAgainAt[request.lane] ?? .min
      let since = [quiet, consent, request.notedAt, called, taken, limit, resumedAt].max()!
      let until = min(world.scheduler.now, request.closed, request.signedAt + 7 * 24 * 3_600_000)
      expect(until - since < 15 * 60_000, "I9: nobody called about \(id) since \(RFC3339.text(since))")
    }
  }

  // MARK: The wire

  /// The bytes of a call leave the process that makes it.
  /// - Parameter now: as that process has it.
  func leaves(_ id: String, _ request: HTTPClientRequest, now: Int64) {
    calls += 1
    let body = String(decoding: request.body, as: UTF8.self)
    guard let claim = claims[id] else { return violated("I4: a call without a claim in the log, \(id)") }
    expect(claim.body == body, "I4: \(id) leaves with another body than it claimed")
    expect(!claim.hasLeft && !claim.hasResult, "I4: \(id) leaves a second time, or after its result")
    claims[id]!.hasLeft = true
    world.tell("\(id) leaves")
    let asked = requests[claim.request]!
    expect(
      stands(claim.basis, of: claim.customer), "I3, I4: \(id) leaves though \(claim.basis) does not stand any more")
    expect(now < claim.sendBy, "I4: \(id) leaves after its sendBy")
    expect(
      world.weather.isClockWrong || world.scheduler.now - claim.claimedAt <= Self.claimLife,
      "I4: \(id) leaves \(world.scheduler.now - claim.claimedAt) ms after it was claimed")
    expect(
      !(decisions[asked.purchase] ?? []).contains { $0.signedAt >= asked.signedAt },
      "I4: \(id) leaves after the decision")
    expect(!isPaused, "I13: \(id) leaves while nothing is to be sent after a restore")
    keepsPace(id, asked, position: claim.position)
    requests[claim.request]!.calledAt = world.scheduler.now
    calledAt[asked.lane] = world.scheduler.now
    let host = request.url.origin.description
    expect(
      host == Scenery.addresses.first { $0.key.rawValue == asked.environment }?.value,
      "I5: \(id) of \(asked.environment) leaves for \(host)")
    expect(waitedFor[asked.purchase] == nil && underWay[claim.request] == nil, "I10: \(id) leaves beside another")
    waitedFor[asked.purchase] = id
    underWay[claim.request] = id
  }

  /// I11: never more calls than Apple allows, and none while it said to wait.
  private func keepsPace(_ id: String, _ asked: Request, position: Int64) {
    let (now, lane) = (world.scheduler.now, asked.lane)
    let allowed = world.pace.consumptionPerSecond * world.pace.percent / (asked.environment == "Sandbox" ? 1_000 : 100)
    let recent = (left[lane] ?? []).filter { now - $0 < 1_000 } + [now]
    left[lane] = recent
    expect(recent.count <= max(1, allowed), "I11: \(id) is the \(recent.count). of \(lane) within a second")
    // Close to the end of its window a request waits for nothing.
    guard !world.weather.isClockWrong, asked.closed - now > 2 * 3_600_000, let wait = waits[lane] else { return }
    expect(
      now >= wait.until || position < wait.position, "I11: \(id) leaves \(wait.until - now) ms before Apple said")
  }

  /// Apple tells a call to wait.
  func limited(_ claim: String?, until instant: Int64?) { if let claim { limits[claim] = instant } }

  func arrived(_ transactionID: String, _ request: HTTPClientRequest, at instant: Int64) {
    world.tell("a call about \(transactionID) arrives, the store is \(world.weather.store)")
  }

  func landed(_ id: String) { if let name = claims[id]?.request, underWay[name] == id { underWay[name] = nil } }

  func gaveUp(_ id: String) {
    guard let claim = claims[id], let purchase = requests[claim.request]?.purchase else { return }
    if waitedFor[purchase] == id { waitedFor[purchase] = nil }
  }

  /// What Apple's rules said to a call that was let through.
  func answered(_ transactionID: String, _ response: HTTPResponse?, _ store: Weather.Store) {
    guard let status = response?.status else { return }
    switch status {
    case 202: break
    case 400: violated("I7: Apple refuses the body about \(transactionID)")
    case 404: violated("I5: Apple does not know \(transactionID) there")
    case 401:
      // One that left with a token of before may arrive now.
      expect(
        world.isKeyWrong || world.weather.clockAhead != 0 || world.scheduler.now - world.tokensRightSince < 60_000,
        "I6: Apple refuses the token for \(transactionID)")
    default: violated("Apple answers \(status) about \(transactionID)")
    }
  }

  // MARK: Notifications

  func acknowledged(_ uuid: String) {
    acknowledged.insert(uuid)
    expect(stored.contains(uuid), "I1: \(uuid) was acknowledged and is not in the log")
    expect(!forgeries.contains(uuid), "I2: the forged \(uuid) was acknowledged")
  }

  func forged(_ uuid: String) { forgeries.insert(uuid) }

  // MARK: Log lines

  func said(_ line: String) {
    if world.isToldWhole { world.tell("says: \(line)") }
    expect(!line.contains("eyJ"), "I17: a log line holds a token: \(line.prefix(80))")
    expect(!world.accounts.contains { line.contains($0) }, "I17: a log line holds an account token: \(line.prefix(80))")
  }

  // MARK: The end

  /// All windows have closed.
  func lookBack(calmSince calm: Int64) {
    readLog()
    for (id, request) in requests.sorted(by: { $0.key < $1.key }) {
      expect(request.hasEnded, "I8: \(id) of \(request.purchase) never ended")
      expect(
        request.claims.allSatisfy { claims[$0]!.hasResult }, "I8: a claim of \(id) has no result")
      if !request.isSent, !request.isRefused, let since = answerableSince(request, calmSince: calm) {
        violated("I9: \(id) of \(request.purchase) could have been answered since \(RFC3339.text(since)), and was not")
      }
    }
    for (purchase, decided) in decisions.sorted(by: { $0.key < $1.key }) {
      expect(
        outcomes[purchase] ?? 0 == decided.count,
        "I14: \(decided.count) decisions about \(purchase) and \(outcomes[purchase] ?? 0) outcomes")
    }
    expect(acknowledged.isSubset(of: stored), "I1: \(acknowledged.subtracting(stored)) are not in the log")
    expect(forgeries.isDisjoint(with: stored), "I2: \(forgeries.intersection(stored)) are in the log")
  }

  /// Since when all was there that an answer needs, where that left ten minutes and more; nil where it did not.
  private func answerableSince(_ request: Request, calmSince calm: Int64) -> Int64? {
    guard let account = request.account, let records = consents[Streams.customer(account)], !records.isEmpty else {
      return nil
    }
    // Whatever came later than the calm may have changed the answer: only what stood all the time counts.
    guard records.allSatisfy({ $0.granted }) else { return nil }
    let since = max(calm, request.receivedAt, records.map(\.statedAt).min()!, world.factsSince(request.bundleID))
    guard request.closed - since > 15 * 60_000, request.closed < request.signedAt + 7 * 24 * 3_600_000 else {
      return nil
    }
    // A decision ends the matter.
    guard (decisions[request.purchase] ?? []).isEmpty else { return nil }
    return since
  }

  var summary: String {
    "\(requests.count) requests, \(requests.values.count { $0.isSent }) answered, \(claims.count) claims, \(calls) calls"
  }

  var figures: (requests: Int, answered: Int) { (requests.count, requests.values.count { $0.isSent }) }
}

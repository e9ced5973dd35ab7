import AppStore
import Contracts
import EventLog
import Service

/// Follows the log and does what is due: one thread, one natural line. What it brings into the log comes back to it
/// as events, so a restart forgets nothing.
final class CaseLoop {
  private let log: any EventLog
  private let projector: Projector
  private let apps: [String: ResponderSettings.App]
  private let sender: AnswerSender
  private let leader: LeaderLock
  private let clock: WallClock
  private let pace: Pace
  private let claimant: String
  private let logger: Logger
  private let newUUID: () -> String

  /// Cases to look at again, and when on the clock in use.
  private var agenda: [PurchaseKey: Int64] = [:]

  init(
    log: any EventLog, store: CaseStore, apps: [ResponderSettings.App], sender: AnswerSender, leader: LeaderLock,
    clock: WallClock, claimant: String, newUUID: @escaping () -> String, logger: Logger
  ) throws(ProjectionError) {
    self.log = log
    projector = try Projector(log: log, store: store)
    self.apps = Dictionary(uniqueKeysWithValues: apps.map { ($0.identity.bundleId, $0) })
    self.sender = sender
    self.leader = leader
    self.clock = clock
    pace = Pace(speed: clock.speed)
    self.claimant = claimant
    self.newUUID = newUUID
    self.logger = logger
  }

  /// Runs until told to stop; a fault of log or projection is reported and tried again each second.
  func run(until stopping: () -> Bool) {
    let wakeups = log.wakeups()
    var looksAtAll = true
    while !stopping() {
      do throws(ProjectionError) {
        while let touched = try projector.advance(), !stopping() {
          for key in touched { agenda[key] = clock.now() }
        }
        if leader.hold() {
          if looksAtAll { for key in try projector.store.openCases() { agenda[key] = clock.now() } }
          looksAtAll = false
          try actOnDue()
        } else {
          // Whoever takes over looks at every open case; until then nothing is due here.
          agenda = [:]
        }
      } catch {
        logger.error("the log is not followed at the moment", ["reason": "\(error)"])
        wakeups.wait(milliseconds: 1_000)
        continue
      }
      let next = agenda.values.min().map { clock.realMilliseconds(until: $0) } ?? 1_000
      wakeups.wait(milliseconds: Int(min(max(next, 1), 1_000)))
    }
  }

  /// Earliest due first: what Apple waits for longest comes before the rest.
  private func actOnDue() throws(ProjectionError) {
    let now = clock.now()
    var states: [CaseState] = []
    for (key, instant) in agenda where instant <= now {
      agenda[key] = nil
      if let state = try projector.store.caseState(key), try !projector.store.isStuck(state.stream) {
        states.append(state)
      }
    }
    states.sort { ($0.due ?? .max, $0.transactionID) < ($1.due ?? .max, $1.transactionID) }
    for state in states { agenda[state.key] = try act(on: state) }
  }

  /// Judges one case and does the step.
  /// - Returns: when to look again, unless an event of the case comes first.
  private func act(on state: CaseState) throws(ProjectionError) -> Int64? {
    guard let bundleID = state.app, let app = apps[bundleID] else { return nil }
    let (judge, restsOnStuck) = try judge(state, bundleID)
    switch judge.next() {
    case .rest(_, let until): return until
    case .claim(let claim):
      // Nobody knows what a stuck stream says; it might be a withdrawal.
      return restsOnStuck ? end(of: claim, for: state) : self.claim(claim, for: state, of: app)
    case .settleUnknown(let request, let attempt):
      let failed = ConsumptionFailed(
        request: request, claim: attempt.claim, failure: .unknown, explanation: "no result was recorded in time",
        retryAt: clock.now())
      return append(
        failed, id: EventIDs.unknown(state.key, attempt: attempt.number), to: state, causation: attempt.claim,
        correlation: request)
    case .withhold(let withheld):
      return append(
        withheld, id: EventIDs.new(.withheld, uuid: newUUID()), to: state, causation: withheld.request,
        correlation: withheld.request)
    case .recordOutcome(let outcome, let id, let notification):
      return append(outcome, id: id, to: state, causation: notification, correlation: outcome.request)
    }
  }

  /// The judge, and whether a stream that an answer would rest on is stuck.
  private func judge(
    _ state: CaseState, _ bundleID: String
  ) throws(ProjectionError) -> (CaseJudge, restsOnStuck: Bool) {
    let store = projector.store
    let customerStream = state.customer.map { StreamName(Streams.customer($0)) }
    let appStream = StreamName(Streams.app(bundleID))
    var isStuck = try store.isStuck(appStream)
    if let customerStream, try store.isStuck(customerStream) { isStuck = true }
    // Evidence that was stated of the original purchase; from its case, or read now where it is none.
    var original: CaseState?
    if let key = state.originalKey {
      original = try projector.caseOrStream(key)
      if original == nil { isStuck = true }
    }
    let judge = CaseJudge(
      state: state, customer: try state.customer.map { id throws(ProjectionError) in try store.customer(id) },
      app: try store.app(bundleID), original: original.map { ($0.stream, $0.evidence, $0.version) },
      customerStream: customerStream, appStream: appStream, claimant: claimant, now: clock.now(), pace: pace)
    return (judge, isStuck)
  }

  /// When the request of a claim that cannot be made now ends by itself.
  private func end(of claim: Step.Claim, for state: CaseState) -> Int64? {
    let request = state.requests.first { $0.id == claim.prepared.request }
    return request.map { Window($0, environment: state.environment).closed }
  }

  // MARK: Into the log

  private func claim(_ claim: Step.Claim, for state: CaseState, of app: ResponderSettings.App) -> Int64? {
    guard let tokens = app.tokens, let environment = ServerEnvironment(rawValue: state.environment) else {
      return end(of: claim, for: state)
    }
    guard sender.hasIdleSender else { return clock.now() + Int64(100 * clock.speed) }
    let id = EventIDs.claim(state.key, attempt: claim.prepared.attempt)
    let draft = EventDraft(
      claim.prepared, id: id, of: state, occurredAt: clock.now(), causation: claim.prepared.request,
      correlation: claim.prepared.request)
    do throws(AppendError) {
      switch try log.append([draft], expecting: claim.expecting) {
      case .recorded(let recordings):
        switch recordings[0] {
        case .appended(let position), .duplicate(let position, same: true):
          sender.send(
            WonClaim(
              state: state, prepared: claim.prepared, id: id, position: position,
              streams: Set(claim.expecting.keys), environment: environment, tokens: tokens))
          return nil
        case .duplicate(_, same: false): return soon
        }
      case .conflict: return soon
      }
    } catch {
      logger.warning("claim not stored, tried again", ["claim": .text(id), "reason": "\(error)"])
      return later
    }
  }

  private func append(
    _ data: some EventData, id: String, to state: CaseState, causation: String, correlation: String?
  ) -> Int64? {
    let draft = EventDraft(
      data, id: id, of: state, occurredAt: clock.now(), causation: causation, correlation: correlation)
    do throws(AppendError) {
      switch try log.append([draft], expecting: [state.stream: .exactly(state.version)]) {
      case .recorded: return nil
      case .conflict: return soon
      }
    } catch {
      logger.warning("event not stored, tried again", ["event.id": .text(id), "reason": "\(error)"])
      return later
    }
  }

  /// The log holds something that the projection has not read yet.
  private var soon: Int64 { clock.now() + Int64(20 * clock.speed) }
  private var later: Int64 { clock.now() + Int64(1_000 * clock.speed) }
}

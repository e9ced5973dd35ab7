import AppStore
import Contracts
import EventLog
import Service

/// Follows the log and does what is due: one thread, one natural line. What it brings into the log comes back to it
/// as events, so a restart forgets nothing.
final class CaseLoop {
  private let log: any EventLog
  private var apps: [String: ResponderSettings.App]
  /// Apps of settings that were read again, until the loop takes them.
  private let changedApps: Monitor<[ResponderSettings.App]?>
  private let sender: any AnswerSending
  private let pacer: CallPacer
  private let leader: LeaderLock
  private let apple: AppleClock
  private let clock: WallClock
  private let times: ClaimTimes
  private let claimant: String
  private let metrics: ResponderMetrics
  private let logger: Logger
  private let voice: ResponderVoice
  private let newUUID: () -> String
  private let steady: @Sendable () -> Int64

  private var agenda = Agenda()
  /// Apps whose declarations are not in the log yet: nothing is claimed for them until they are.
  private var undeclared: [ResponderSettings.App] = []
  private let declarations: Declarations
  private let addresses: [ServerEnvironment: String]
  private var gates: CallGates
  /// Cases whose calls are under way, or have ended with a result that was not read yet, each with its claim.
  private var called: [PurchaseKey: String] = [:]
  /// Open claims by case, each with the instant, by the steady clock, since which this process has seen it.
  private var openClaims: [PurchaseKey: [String: Int64]] = [:]
  /// Position of the newest claim of this process.
  private var newestClaim: Int64 = 0
  /// `AppleClock.changes` when everything was reckoned by it.
  private var clockChanges: Int
  private var questions = TimeQuestions()
  private let projection: Projection
  /// Whether every open case was looked at since this responder acts on the projection that is open now.
  private var isPrepared = false
  private var leads = false
  private let writes: WriteWatch
  /// Cases that are judged before callers have their turn.
  private static let batch = 200
  /// One that waits looks each second.
  private static let standBackMilliseconds: Int64 = 2_500

  /// - Parameters:
  ///   - addresses: where calls go.
  ///   - changedApps: where apps of settings that were read again are laid down.
  ///   - pacer, writes: the same that the senders have.
  ///   - claimant: name of this process, new at each start.
  ///   - steady: milliseconds that only go forward.
  init(
    log: any EventLog, projection: Projection, apps: [ResponderSettings.App],
    changedApps: Monitor<[ResponderSettings.App]?>, addresses: [ServerEnvironment: String], sender: any AnswerSending,
    pacer: CallPacer, writes: WriteWatch, leader: LeaderLock, apple: AppleClock,
    claimant: String, newUUID: @escaping () -> String, metrics: ResponderMetrics, logger: Logger,
    steady: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds
  ) {
    self.log = log
    self.projection = projection
    self.apps = Self.byBundle(apps)
    self.changedApps = changedApps
    self.addresses = addresses
    declarations = Declarations(log: log, clock: apple.wall)
    self.sender = sender
    self.pacer = pacer
    self.writes = writes
    self.leader = leader
    self.apple = apple
    let clock = apple.wall
    self.clock = clock
    clockChanges = apple.changes
    times = ClaimTimes(speed: clock.speed)
    self.claimant = claimant
    self.newUUID = newUUID
    self.metrics = metrics
    self.logger = logger
    voice = ResponderVoice(metrics, logger)
    self.steady = steady
    gates = CallGates(probeEvery: Backoff(speed: clock.speed, random: { 1 }).afterUnauthorised)
  }

  /// Runs until told to stop; a fault of log or projection is reported and tried again. Where another responder acts for
  /// this log it waits for its turn: it keeps the projection warm where nobody else writes the file of this version, else
  /// that one is read.
  ///
  /// It leads once its projection holds everything, not before: until then another one acts that can. And it gives the
  /// lead up when it cannot do its work any more.
  func run(until stopping: () -> Bool) {
    let wakeups = log.wakeups()
    sender.whenFree { wakeups.wake() }
    while !stopping() {
      // In this order, everywhere: who writes, then who leads.
      guard projection.holdsWriter() else {
        leader.release()
        if let fault = projection.fault {
          giveUp("the data folder cannot be used: \(fault)")
        } else {
          stand(.waits)
          writes.lookWhetherOthersWrite()
          metrics.follows(at: nil, due: nil)
        }
        wakeups.wait(milliseconds: 1_000)
        continue
      }
      do throws(ProjectionError) {
        guard let projector = try openProjector(until: stopping) else {
          wakeups.wait(milliseconds: 200)
          continue
        }
        try follow(projector, until: stopping)
        // What was not read yet might change what is decided.
        if stopping() { break }
        let led = leads
        leads = leader.hold()
        if let fault = leader.fault {
          giveUp("the data folder cannot be used: \(fault)")
          // To whoever can lead: it needs the right to write as well.
          projection.release()
          standBack(wakeups, until: stopping)
          continue
        }
        if leads, !led {
          writes.countAnew()
          // What the one that led before did last.
          try follow(projector, until: stopping)
        }
        if stopping() { break }
        stand(leads ? .acts : .isWarm)
        if leads {
          try prepare(projector)
          try takeChangedApps(projector)
          try watchClock(projector)
        } else {
          writes.lookWhetherOthersWrite()
        }
        voice.sends(try projector.store.sending())
        metrics.follows(at: clock.now(), due: try projector.store.firstDue())
        if leads { try actOnDue(projector) }
      } catch {
        giveUp("the log is not followed at the moment: \(error)")
        if error.isDamage {
          projection.discard()
          wakeups.wait(milliseconds: 1_000)
        } else {
          projection.release()
          standBack(wakeups, until: stopping)
        }
        continue
      }
      if leads, let refusal = writes.lasting {
        // Said once until something is written again, however often the lead is given up for it.
        giveUp("nothing can be written into the log: \(refusal)", isSaid: writes.isSaid)
        writes.said()
        projection.release()
        standBack(wakeups, until: stopping)
        continue
      }
      // One that waits for its turn looks for it each second.
      wakeups.wait(milliseconds: Int(max(leads ? restMilliseconds() : 1_000, 1)))
    }
  }

  /// Reads what is new. What was read while it does not lead is looked at when it does: `prepare` looks at everything.
  private func follow(_ projector: Projector, until stopping: () -> Bool) throws(ProjectionError) {
    // Their results are in the log by now.
    let ended = called.filter { !sender.holds($0.value) }.keys
    while !stopping(), let touched = try projector.advance() {
      guard leads else { continue }
      agenda.add(touched, at: clock.now())
      // Before anybody else calls: what one met may hold for all.
      for key in touched where called[key] != nil {
        guard let state = try projector.store.caseState(key), let gate = CallGates.Name(state) else { continue }
        voice.calls(gates.note(state, now: clock.now()), gate, diagnosis: diagnosis(gate))
      }
    }
    if !stopping() { for key in ended { called[key] = nil } }
  }

  /// Leaves the lead to whoever can do the work, and says once why.
  private func giveUp(_ reason: String, isSaid: Bool = false) {
    leader.release()
    leads = false
    // Opened anew, and every open case looked at again.
    isPrepared = false
    writes.countAnew()
    metrics.doesNotFollow(reason)
    voice.stands(.cannot(reason), isSaid: isSaid)
  }

  /// For longer than one that waits for its turn needs to find that it has come.
  private func standBack(_ wakeups: any LogWakeups, until stopping: () -> Bool) {
    let end = steady() + Self.standBackMilliseconds
    while !stopping() {
      let left = end - steady()
      if left <= 0 { return }
      wakeups.wait(milliseconds: Int(min(left, 250)))
    }
  }

  private func stand(_ stance: ResponderVoice.Stance) {
    leads = stance == .acts
    if !leads { isPrepared = false }
    // Whoever has the lead of a log that takes nothing gives it away every few seconds.
    voice.stands(stance, isSaid: writes.isSaid)
  }

  /// nil where it is being made elsewhere, or where it is time to stop.
  private func openProjector(until stopping: () -> Bool) throws(ProjectionError) -> Projector? {
    var told: RebuildProgress.Phase?
    let opened = try projection.open(until: stopping) { [logger, metrics, leader] progress in
      // That may take minutes: another one acts meanwhile, where there is one.
      leader.release()
      metrics.leads.set(0)
      metrics.doesNotFollow("the projection is being made from the log: \(Int(progress.share * 100)) percent")
      if told == progress.phase { return }
      told = progress.phase
      logger.info(
        "the projection is being made from the log",
        ["phase": .text(progress.phase.rawValue), "head": .integer(progress.head)])
    }
    switch opened {
    case .ready(let projector, let isNew):
      if isNew {
        isPrepared = false
        leads = false
      }
      return projector
    case .madeElsewhere:
      leader.release()
      leads = false
      metrics.doesNotFollow("another process is making the projection")
      return nil
    case .stopped: return nil
    }
  }

  /// Looks at every case that something may be left to do about.
  private func prepare(_ projector: Projector) throws(ProjectionError) {
    if isPrepared { return }
    let living = try projector.store.livingCases(at: clock.now())
    var states: [CaseState] = []
    for key in living { if let state = try projector.store.caseState(key) { states.append(state) } }
    // What another one met, or this process before it led.
    gates.tryAgain(now: clock.now(), after: projector.bookmark.position.value)
    gates.note(states, now: clock.now())
    for state in states { keepPace(after: state) }
    agenda.add(living, at: clock.now())
    isPrepared = true
  }

  /// The last calls of whoever acted before may have left just now.
  private func keepPace(after state: CaseState) {
    guard let name = CallGates.Name(state) else { return }
    let lane = CallLane(gate: name, kind: .consumption)
    let now = clock.now()
    for attempt in state.requests.flatMap(\.attempts) where abs(now - attempt.at) < 2 * times.claimToSend {
      pacer.begin(lane)
      pacer.written(lane)
    }
  }

  private func takeChangedApps(_ projector: Projector) throws(ProjectionError) {
    if let changed = changedApps.change({ $0.take() }) {
      undeclared = changed
      apps = [:]
    }
    if undeclared.isEmpty { return }
    let waiting = undeclared
    undeclared = []
    for app in waiting {
      do throws(Declarations.Failure) {
        if try declarations.declare(app) { writes.took() }
        apps[app.identity.bundleId] = app
      } catch {
        // Nothing is claimed for the app meanwhile, so nothing else would be refused.
        if case .append(let refusal) = error { writes.didNotTake(refusal) }
        undeclared.append(app)
        logger.error(
          "what the settings declare is not in the log, tried again; nothing is sent for the app until then",
          ["app": .text(app.identity.bundleId), "reason": "\(error)"])
      }
    }
    if undeclared.count == waiting.count { return }
    gates.tryAgain(now: clock.now(), after: max(projector.bookmark.position.value, newestClaim))
    agenda.add(try projector.store.livingCases(at: clock.now()), at: clock.now())
  }

  /// What was reckoned by a clock that was wrong is reckoned anew, and tokens dated by it are tried again.
  private func watchClock(_ projector: Projector) throws(ProjectionError) {
    if case let changes = apple.changes, changes != clockChanges {
      clockChanges = changes
      gates.tryAgain(now: clock.now(), after: max(projector.bookmark.position.value, newestClaim))
      agenda.add(try projector.store.livingCases(at: clock.now()), at: clock.now())
    }
    let now = steady()
    agenda.add(questions.released(isAnswered: apple.isAnswered, now: now), at: clock.now())
    guard questions.isDue(isWanted: apple.asksForReply, now: now), let environment = askable else { return }
    sender.askTime(of: environment)
    questions.asked(now: now)
  }

  /// Where Apple may be asked for its time now.
  private var askable: ServerEnvironment? {
    guard sender.idleSenders > 0 else { return nil }
    return apps.values.flatMap(\.identity.environments).min { $0.rawValue < $1.rawValue }
  }

  private static func byBundle(_ apps: [ResponderSettings.App]) -> [String: ResponderSettings.App] {
    Dictionary(uniqueKeysWithValues: apps.map { ($0.identity.bundleId, $0) })
  }

  /// Earliest due first: what Apple waits for longest comes before the rest.
  private func actOnDue(_ projector: Projector) throws(ProjectionError) {
    try callNext(projector)
    var states: [CaseState] = []
    for key in agenda.due(at: clock.now(), limit: Self.batch) {
      agenda.done(key, again: nil)
      if let state = try actionable(key, projector) { states.append(state) }
    }
    states.sort { ($0.due ?? .max, $0.transactionID) < ($1.due ?? .max, $1.transactionID) }
    for state in states { try lookAt(state, isNext: false, projector) }
    if !states.isEmpty { try callNext(projector) }
  }

  /// Those that only wait for a call, as far as calls may be made now.
  private func callNext(_ projector: Projector) throws(ProjectionError) {
    while mayCall, let key = agenda.nextCaller(openLanes()) {
      agenda.done(key, again: nil)
      if let state = try actionable(key, projector) { try lookAt(state, isNext: true, projector) }
    }
  }

  /// nil where there is nothing that can be done about a case.
  private func actionable(_ key: PurchaseKey, _ projector: Projector) throws(ProjectionError) -> CaseState? {
    guard let state = try projector.store.caseState(key), try !projector.store.isStuck(state.stream) else { return nil }
    return state
  }

  /// - Parameter isNext: it waited for a call, and its turn has come.
  private func lookAt(_ state: CaseState, isNext: Bool, _ projector: Projector) throws(ProjectionError) {
    if let again = try act(on: state, isNext: isNext, projector) {
      agenda.add(CollectionOfOne(state.key), at: again)
    }
  }

  /// Whether one more call may begin. What the last ones met is read before: it may shut a gate.
  private var mayCall: Bool { sender.idleSenders > 0 && called.count < sender.senders }

  /// Lanes in which a call may be made now, with whether that is so only for those whose windows close soon.
  private func openLanes() -> [CallLane: Bool] {
    let now = clock.now()
    var open: [CallLane: Bool] = [:]
    for lane in agenda.lanes where pacer.wait(lane) == 0 {
      if gates[lane.gate].opensAt(now: now, lastCall: .max) == nil {
        open[lane] = false
      } else if gates[lane.gate].opensAt(now: now, lastCall: 0) == nil {
        open[lane] = true
      }
    }
    return open
  }

  /// Until there may be something to do again, unless something comes into the log, or a sender is free, before.
  private func restMilliseconds() -> Int64 {
    var rest = agenda.next().map { clock.realMilliseconds(until: $0) } ?? .max
    if let question = questions.wait(isWanted: apple.asksForReply, now: steady()), askable != nil {
      rest = min(rest, question)
    }
    let now = clock.now()
    for lane in agenda.lanes where mayCall {
      // One whose window closes soon waits for no limit.
      let lastCall: Int64 = agenda.hasUrgent(in: lane) ? 0 : .max
      let gate = gates[lane.gate].opensAt(now: now, lastCall: lastCall).map { clock.realMilliseconds(until: $0) } ?? 0
      rest = min(rest, max(gate, (pacer.wait(lane) + 999_999) / 1_000_000))
    }
    return rest
  }

  /// Judges one case and does the step.
  /// - Returns: when to look again, unless an event of the case comes first.
  private func act(
    on state: CaseState, isNext: Bool, _ projector: Projector
  ) throws(ProjectionError) -> Int64? {
    guard let bundleID = state.app, let gate = CallGates.Name(state) else { return nil }
    voice.calls(gates.note(state, now: clock.now()), gate, diagnosis: diagnosis(gate))
    noteOpenClaims(of: state)
    let (judge, restsOnStuck) = try judge(state, bundleID, projector)
    switch judge.next() {
    case .rest(let waiting, let until):
      if waiting == .clock, !apple.isDoubtful {
        questions.hold(state.key, now: steady())
        return until
      }
      voice.waits(waiting, state.key, until: until)
      return until
    case .claim(let claim):
      // Nobody knows what a stuck stream says; it might be a withdrawal.
      return restsOnStuck
        ? claim.window(in: state).closed : self.claim(claim, for: state, through: gate, isNext: isNext)
    // A clock that jumped says nothing about a call that is under way here.
    case .settleUnknown(_, let attempt) where sender.holds(attempt.claim): return later
    case .settleUnknown(_, let attempt) where restOfLife(attempt.claim, of: state.key) > 0:
      return clock.now() + Int64(Double(restOfLife(attempt.claim, of: state.key)) * clock.speed)
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

  private func noteOpenClaims(of state: CaseState) {
    let open = state.requests.compactMap { $0.openAttempt?.claim }
    let known = openClaims[state.key] ?? [:]
    let seen = Dictionary(open.map { ($0, known[$0] ?? apple.elapsed()) }, uniquingKeysWith: { first, _ in first })
    openClaims[state.key] = seen.isEmpty ? nil : seen
  }

  /// How long a claim may still be under way elsewhere, in real milliseconds. Its own instants may be by another clock:
  /// one process has learned from Apple that the machine's is wrong, and another has not yet.
  private func restOfLife(_ claim: String, of key: PurchaseKey) -> Int64 {
    guard let seen = openClaims[key]?[claim] else { return 0 }
    return seen + ClaimTimes.life - apple.elapsed()
  }

  /// Why Apple may refuse the tokens of an app, by what is known now.
  private func diagnosis(_ gate: CallGates.Name) -> String {
    guard let tokens = apps[gate.app]?.tokens else { return "whether the app has a key in the settings" }
    let issuedAt = clock.now() / 1000 - BearerTokenMaker.backdatedSeconds
    return TokenDiagnosis(
      app: gate.app, environment: gate.environment, keyID: tokens.keyId, issuerID: tokens.issuerId,
      issuedAt: issuedAt, expiresAt: issuedAt + BearerTokenMaker.lifeSeconds,
      refusedAt: apple.newest, takenAt: gates[gate].takenAt, takenIn: gates.othersTaken(than: gate)
    ).text
  }

  /// The judge, and whether a stream that an answer would rest on is stuck.
  private func judge(
    _ state: CaseState, _ bundleID: String, _ projector: Projector
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
    // In this order: a jump that changes the instant is noticed by then.
    let now = clock.now()
    let isDoubtful =
      apple.isDoubtful || questions.holds(isAnswered: apple.isAnswered, now: steady())
    let judge = CaseJudge(
      state: state, customer: try state.customer.map { id throws(ProjectionError) in try store.customer(id) },
      app: try store.app(bundleID), original: original.map { OriginalPurchase($0, app: bundleID) },
      customerStream: customerStream, appStream: appStream, claimant: claimant, now: now, times: times,
      caller: caller(of: bundleID, state.environment), rescission: try store.rescission(of: state),
      sending: try store.sending(), isClockDoubtful: isDoubtful)
    return (judge, isStuck)
  }

  private func caller(of bundleID: String, _ environment: String) -> String? {
    guard let environment = ServerEnvironment(rawValue: environment), let address = addresses[environment] else {
      return nil
    }
    return apps[bundleID]?.tokens?.fingerprint(at: address)
  }

  // MARK: Into the log

  /// - Parameter isNext: no other one is to come before it.
  private func claim(
    _ claim: Step.Claim, for state: CaseState, through name: CallGates.Name, isNext: Bool
  ) -> Int64? {
    guard let tokens = apps[name.app]?.tokens, let environment = ServerEnvironment(rawValue: state.environment) else {
      let end = claim.window(in: state).closed
      voice.waits(.key, state.key, until: end)
      return end
    }
    let window = claim.window(in: state)
    let lane = CallLane(gate: name, kind: .consumption)
    let now = clock.now()
    // Only what may start at once is claimed: a claim grows old.
    guard mayCall, pacer.wait(lane) == 0,
      gates[name].opensAt(now: now, lastCall: window.lastCall) == nil,
      isNext || !agenda.hasCaller(in: lane, dueBy: window.due)
    else {
      let isUrgent = now >= window.lastCall
      let end = min(window.closed, window.stale)
      agenda.waitForCall(
        state.key, in: lane, due: window.due, isUrgent: isUrgent, again: isUrgent ? end : min(window.lastCall, end))
      return nil
    }
    let id = EventIDs.claim(state.key, attempt: claim.prepared.attempt)
    let draft = EventDraft(
      claim.prepared, id: id, of: state, occurredAt: clock.now(), causation: claim.prepared.request,
      correlation: claim.prepared.request)
    do throws(AppendError) {
      let outcome = try log.append([draft], expecting: claim.expecting)
      writes.took()
      switch outcome {
      case .recorded(let recordings):
        switch recordings[0] {
        case .appended(let position), .duplicate(let position, same: true):
          pacer.begin(lane)
          called[state.key] = id
          newestClaim = position.value
          gates[name].begin(now: clock.now())
          sender.send(
            WonClaim(
              state: state, prepared: claim.prepared, id: id, position: position,
              streams: Set(claim.expecting.keys), environment: environment, tokens: tokens,
              limitsInARow: gates[name].limitsInARow, takenAt: gates[name].takenAt,
              takenIn: gates.othersTaken(than: name)))
          return nil
        case .duplicate(_, same: false): return soon
        }
      case .conflict: return soon
      }
    } catch {
      logger.warning("claim not stored, tried again", ["claim": .text(id), "reason": "\(error)"])
      writes.didNotTake(error)
      return later
    }
  }

  private func append(
    _ data: some EventData, id: String, to state: CaseState, causation: String, correlation: String?
  ) -> Int64? {
    let draft = EventDraft(
      data, id: id, of: state, occurredAt: clock.now(), causation: causation, correlation: correlation)
    do throws(AppendError) {
      let outcome = try log.append([draft], expecting: [state.stream: .exactly(state.version)])
      writes.took()
      switch outcome {
      case .recorded:
        metrics.count(data)
        return nil
      case .conflict: return soon
      }
    } catch {
      logger.warning("event not stored, tried again", ["event.id": .text(id), "reason": "\(error)"])
      writes.didNotTake(error)
      return later
    }
  }

  /// The log holds something that the projection has not read yet.
  private var soon: Int64 { clock.now() + Int64(20 * clock.speed) }
  private var later: Int64 { clock.now() + Int64(1_000 * clock.speed) }
}

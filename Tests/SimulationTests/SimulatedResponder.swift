import AppStore
import EventLog
import HTTPClient
import Service

@testable import Responder

/// A responder that is started, crashes, and is started again: the loop and the calls as they are, under the world's
/// clock, log and network.
final class SimulatedResponder: @unchecked Sendable {
  private static let senders = 3

  let name: String
  private let world: World
  private(set) var process: SimulatedProcess
  private var starts = 0
  /// Of the process that lives: what one did not get to goes with it.
  private var changedApps = Monitor<[ResponderSettings.App]?>(nil)

  init(_ name: String, in world: World) {
    self.name = name
    self.world = world
    process = SimulatedProcess(name, in: world)
    process.crash("before its first start")
  }

  var isAlive: Bool { process.isAlive }

  func start() {
    starts += 1
    let process = SimulatedProcess("\(name).\(starts)", in: world)
    self.process = process
    world.tell("\(process.name) starts")
    world.disturbed()
    let apps = world.apps()
    changedApps = Monitor(nil)
    world.scheduler.start(process.name, in: process) { [self] in run(process, apps) }
    world.scheduler.lookSoon()
  }

  /// Settings are read again.
  func reload() {
    let apps = world.apps()
    changedApps.change { $0 = apps }
    world.scheduler.lookSoon()
  }

  private func run(_ process: SimulatedProcess, _ apps: [ResponderSettings.App]) {
    let world = world
    let log = SimulatedLog(process, in: world)
    let metrics = ResponderMetrics(clock: world.clock)
    let logger = Logger(format: .text, clock: world.clock) { [world] line in world.audit.said(line) }
    let writes = WriteWatch(log: log, metrics: metrics, logger: logger)
    do {
      let apple = AppleClock(world.clock, steady: { [scheduler = world.scheduler] in scheduler.now }, logger: logger)
      let pacer = CallPacer(world.pace) { [scheduler = world.scheduler] in scheduler.now * 1_000_000 }
      // As the service does, or it does not start.
      let declarations = Declarations(log: log, clock: apple.wall)
      for app in apps {
        _ = try declarations.declare(app)
      }
      let projection = try Projection(folder: world.folder, log: log, listener: .telling(metrics, logger))
      let leader = try LeaderLock(folder: world.folder)
      let loop = CaseLoop(
        log: log, projection: projection, apps: apps, changedApps: changedApps, addresses: Scenery.addresses,
        sender: Sender(
          process: process, world: world, log: log, apple: apple, pacer: pacer, metrics: metrics, writes: writes,
          logger: logger), pacer: pacer, writes: writes, leader: leader, apple: apple, claimant: process.name,
        newUUID: world.uuid, metrics: metrics, logger: logger,
        steady: { [scheduler = world.scheduler] in scheduler.now })
      loop.run { !process.isAlive }
    } catch { if process.isAlive { world.audit.violated("\(process.name) cannot start: \(error)") } }
    if process.isAlive { world.audit.violated("\(process.name) ended by itself") }
  }

  /// Each call is a strand of its own.
  private final class Sender: AnswerSending, @unchecked Sendable {
    private let process: SimulatedProcess
    private let world: World
    private let log: any EventLog
    private let apple: AppleClock
    private let pacer: CallPacer
    private let metrics: ResponderMetrics
    private let writes: WriteWatch
    private let logger: Logger
    let senders = SimulatedResponder.senders
    private(set) var idleSenders = SimulatedResponder.senders
    private var held: Set<String> = []
    private var tellFree: @Sendable () -> Void = {}

    init(
      process: SimulatedProcess, world: World, log: any EventLog, apple: AppleClock, pacer: CallPacer,
      metrics: ResponderMetrics, writes: WriteWatch, logger: Logger
    ) {
      self.process = process
      self.world = world
      self.log = log
      self.apple = apple
      self.pacer = pacer
      self.metrics = metrics
      self.writes = writes
      self.logger = logger
    }

    private func call(for claim: String?) -> AnswerCall {
      let addresses = Scenery.addresses.mapValues { try! AppStoreAddress($0) }
      return AnswerCall(
        api: AppStoreServerAPI(production: addresses[.production]!, sandbox: addresses[.sandbox]!),
        client: SimulatedLine(process: process, world: world, claim: claim, clock: apple.wall), log: log, apple: apple,
        backoff: Backoff(speed: 1) { [scheduler = world.scheduler] in Double(scheduler.draw(0...1_000)) / 1_000 },
        times: ClaimTimes(speed: 1), pacer: pacer, metrics: metrics, writes: writes, logger: logger)
    }

    func send(_ claim: WonClaim) {
      held.insert(claim.id)
      begin { [self] in
        call(for: claim.id).make(claim)
        held.remove(claim.id)
      }
    }

    func holds(_ claim: String) -> Bool { held.contains(claim) }

    func askTime(of environment: ServerEnvironment) {
      begin { [self] in call(for: nil).askTime(of: environment) }
    }

    func whenFree(_ tell: @escaping @Sendable () -> Void) { tellFree = tell }

    private func begin(_ body: @escaping () -> Void) {
      idleSenders -= 1
      world.scheduler.start("send", in: process) { [self] in
        if process.step() { body() }
        idleSenders += 1
        tellFree()
      }
    }
  }
}

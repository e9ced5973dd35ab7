import AppStore
import Cryptography
import EventLog
import HTTPServer
import HTTPTypes
public import Service
import Synchronization

/// The responder, put together from its settings and running.
public final class ResponderService: ServiceProgram.Running {
  public let ready: String
  private let log: LocalEventLog
  private let logger: Logger
  private let changedApps = Monitor<[ResponderSettings.App]?>(nil)
  private let server: HTTPServer
  private let workers: WorkerPool
  private let guarding: TokenGuard
  /// Bundle ids that the API takes statements for.
  private let apps: Monitor<Set<String>>
  private let sender: AnswerSender
  private let loop: OwnedThread
  private let stopping: StopFlag

  /// Opens log and projection, declares what settings declare, follows, and listens.
  public init(_ settings: ResponderSettings) throws(StartError) {
    let logger = Logger.standardError(format: settings.log.format, level: settings.log.level, clock: settings.clock)
    let apple = AppleClock(settings.clock, logger: logger)
    let clock = apple.wall
    let metrics = ResponderMetrics(clock: clock)
    metrics.measure(apple)
    let log = try LocalEventLog.open(settings.data, clock: settings.clock, metrics: metrics.registry)
    self.log = log
    self.logger = logger
    do throws(APITokensError) {
      guarding = TokenGuard(
        tokens: try APITokens(folder: settings.data, clock: settings.clock), token: settings.backendToken,
        logger: logger)
    } catch { throw StartError(.unavailable, error.description) }
    let stopping = StopFlag()
    self.stopping = stopping
    let declarations = Declarations(log: log, clock: clock)
    for app in settings.apps {
      do throws(Declarations.Failure) { try declarations.declare(app) } catch {
        throw StartError(.unavailable, "\(app.identity.bundleId): \(error)")
      }
    }
    let writes = WriteWatch(log: log, metrics: metrics, logger: logger)
    let pacer = CallPacer(settings.pace)
    let sender = AnswerSender(
      senders: settings.senders, appStore: settings.appStore, log: log, apple: apple,
      backoff: Backoff(speed: clock.speed) { Double.random(in: 0...1) }, pacer: pacer, metrics: metrics,
      writes: writes, logger: logger)
    self.sender = sender
    loop = try Self.startLoop(settings, log, apple, sender, pacer, writes, changedApps, stopping, metrics, logger)
    workers = WorkerPool(threads: 4)
    apps = Monitor(Self.names(settings))
    let api = ResponderAPI(
      log: log, recorder: Recorder(log: log, clock: clock, logger: logger),
      texts: ConsentTexts(log: log, clock: clock, logger: logger),
      reader: CaseReader(folder: settings.data, log: log, clock: clock), apps: apps, guarding: guarding, clock: clock,
      workers: workers, metrics: APIMetrics(metrics.registry), logger: logger)
    var routes = api.routes()
    HealthRoutes(metrics: metrics.registry, unreadyReason: { metrics.unreadyReason }).add(to: &routes)
    server = HTTPServer(settings: settings.server, clock: settings.clock, handler: routes.handler)
    do throws(HTTPServerError) {
      ready = "http://\(settings.server.address):\(try server.start())"
    } catch {
      stopping.raise()
      loop.join()
      sender.stop()
      workers.stop()
      log.close()
      throw StartError(.unavailable, error.description)
    }
  }

  /// Apps, keys, the API's token and what is declared of apps take effect at once; a paused app is tried at once.
  public func reload(_ settings: ResponderSettings) {
    changedApps.change { $0 = settings.apps }
    apps.change { $0 = Self.names(settings) }
    guarding.take(settings.backendToken)
    logger.info("settings taken", ["apps": .integer(Int64(settings.apps.count))])
  }

  /// No new calls, then the end of those under way, then the log.
  public func stop() {
    server.stop()
    workers.stop()
    stopping.raise()
    loop.join()
    sender.stop()
    log.close()
  }

  private static func names(_ settings: ResponderSettings) -> Set<String> {
    Set(settings.apps.map(\.identity.bundleId))
  }

  private static func startLoop(
    _ settings: ResponderSettings, _ log: LocalEventLog, _ apple: AppleClock, _ sender: AnswerSender,
    _ pacer: CallPacer, _ writes: WriteWatch,
    _ changedApps: Monitor<[ResponderSettings.App]?>, _ stopping: StopFlag, _ metrics: ResponderMetrics,
    _ logger: Logger
  ) throws(StartError) -> OwnedThread {
    let leader: LeaderLock
    let projection: Projection
    do throws(FileError) {
      leader = try LeaderLock(folder: settings.data)
      projection = try Projection(folder: settings.data, log: log, listener: .telling(metrics, logger))
    } catch { throw StartError(.unavailable, "a lock of the responder cannot be had: \(error)") }
    let loop = CaseLoop(
      log: log, projection: projection, apps: settings.apps, changedApps: changedApps,
      addresses: settings.appStore.addresses(of: [.production, .sandbox]), sender: sender,
      pacer: pacer, writes: writes, leader: leader, apple: apple, claimant: SecureRandom.uuid(),
      newUUID: SecureRandom.uuid,
      metrics: metrics, logger: logger)
    // Made here, then used by its thread alone.
    nonisolated(unsafe) let handed = loop
    return OwnedThread(name: "cases") { handed.run { stopping.isRaised } }
  }
}

/// Raised once, seen by every thread.
final class StopFlag: Sendable {
  private let flag = Atomic(false)
  var isRaised: Bool { flag.load(ordering: .acquiring) }
  func raise() { flag.store(true, ordering: .releasing) }
}

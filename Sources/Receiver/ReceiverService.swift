import AppStore
import Cryptography
import EventLog
import HTTPServer
import HTTPTypes
public import Service

/// The receiver, put together from its settings and running.
public final class ReceiverService: ServiceProgram.Running, Sendable {
  public let ready: String
  private let settings: ReceiverSettings
  private let log: LocalEventLog
  private let state: StateWriter
  private let intake: NotificationIntake
  private let feeder: ParkedFeeder
  private let logger: Logger
  private let server: HTTPServer

  /// Opens log and state, feeds in what was parked and fits by now, and listens.
  public convenience init(_ settings: ReceiverSettings) throws(StartError) {
    try self.init(
      settings,
      logger: .standardError(format: settings.log.format, level: settings.log.level, clock: settings.clock))
  }

  init(
    _ settings: ReceiverSettings, logger: Logger, metrics: MetricRegistry = MetricRegistry(),
    feedMilliseconds: Int64 = ParkedFeeder.intervalMilliseconds
  ) throws(StartError) {
    self.settings = settings
    self.logger = logger
    for anchor in settings.anchors { logger.info("trust anchor", ["anchor": .text(anchor.summary)]) }
    if settings.apps.isEmpty { logger.warning("no app is set up: genuine notifications are only parked") }
    let clock = settings.clock
    let setup = ReceiverSetup(apps: settings.apps, verifier: SignedDataVerifier(anchors: settings.anchors))
    log = try LocalEventLog.open(settings.data, clock: clock, metrics: metrics)
    do throws(ReceiverStateError) {
      let store = try StateStore(
        folder: settings.data, parking: ParkingUsage(limits: settings.parking, configured: setup.bundles),
        quarantine: settings.quarantine)
      state = StateWriter(store, clock: clock)
    } catch {
      log.close()
      throw StartError(error.isDamage ? .damage : .unavailable, error.description)
    }
    intake = NotificationIntake(setup: setup, log: log, state: state, clock: clock, logger: logger, metrics: metrics)
    feeder = ParkedFeeder(
      ParkedFeed(
        folder: settings.data, log: log, state: state, logger: logger, vocabulary: intake.vocabulary),
      intervalMilliseconds: feedMilliseconds)
    StateMetrics.add(state, to: metrics)
    feeder.take(setup)
    let router = Self.router(path: settings.path, intake: intake, state: state, metrics: metrics)
    server = HTTPServer(settings: settings.server, clock: clock, handler: router.handler)
    do throws(HTTPServerError) {
      let port = try server.start()
      ready = "http://\(settings.server.address):\(port)\(settings.path)"
    } catch {
      feeder.close()
      state.close()
      log.close()
      throw StartError(.unavailable, error.description)
    }
  }

  /// Apps, trust anchors and bounds of what is kept take effect at once, and what was parked and
  /// fits by now is fed in. To be called by one thread at a time.
  public func reload(_ settings: ReceiverSettings) {
    let fixed = self.settings.differences(whereFixed: settings)
    if !fixed.isEmpty {
      logger.warning(
        "settings that take effect at the next start only", ["keys": .text(fixed.joined(separator: ", "))])
    }
    let setup = ReceiverSetup(apps: settings.apps, anchors: settings.anchors, before: intake.currentSetup)
    // Fed in first and swapped second: what Apple sends again meanwhile is parked once more and
    // keeps its first receipt. What is judged by the set-up before and parked after the second
    // feeding is taken in by the feeder's next look.
    feeder.take(setup)
    state.configure(bundles: setup.bundles, parking: settings.parking, quarantine: settings.quarantine)
    intake.currentSetup = setup
    feeder.take(setup)
    logger.info("apps in force", ["apps": .text(setup.bundleIDs.joined(separator: ", "))])
  }

  /// Finishes what is under way, then closes state and log.
  public func stop() {
    server.stop()
    feeder.close()
    state.close()
    log.close()
  }

  private static func router(
    path: String, intake: NotificationIntake, state: StateWriter, metrics: MetricRegistry
  ) -> HTTPRouter<HTTPRouteHandler> {
    var router = HTTPRouter<HTTPRouteHandler>()
    router.add(.post, path) { request, _, reply in intake.receive(request, reply) }
    router.add(.post, path.hasSuffix("/") ? path + "{bundleId}" : path + "/{bundleId}") { request, parameters, reply in
      intake.receive(request, bundleInPath: parameters["bundleId"], reply)
    }
    HealthRoutes(metrics: metrics) { intake.logFault.reason ?? state.fault.reason }.add(to: &router)
    return router
  }
}

import AppStore
import Cryptography
import EventLog
import HTTPServer
import HTTPTypes
public import Service

/// The receiver, put together from its settings and running.
public final class ReceiverService: ServiceProgram.Running {
  public let ready: String
  private let log: LocalEventLog
  private let logger: Logger
  private let server: HTTPServer

  /// Opens the log and listens.
  public init(_ settings: ReceiverSettings) throws(StartError) {
    let logger = Logger.standardError(format: settings.log.format, level: settings.log.level, clock: settings.clock)
    self.logger = logger
    for anchor in settings.anchors { logger.info("trust anchor", ["anchor": .text(anchor.summary)]) }
    if settings.apps.isEmpty { logger.warning("no app is set up: every notification will be sent again") }
    log = try LocalEventLog.open(settings.data, clock: settings.clock)
    let intake = NotificationIntake(
      apps: settings.apps, verifier: SignedDataVerifier(anchors: settings.anchors), log: log, clock: settings.clock,
      logger: logger)
    var router = HTTPRouter<HTTPRouteHandler>()
    router.add(.post, settings.path) { request, _, reply in intake.receive(request, reply) }
    server = HTTPServer(settings: settings.server, clock: settings.clock, handler: router.handler)
    do throws(HTTPServerError) {
      let port = try server.start()
      ready = "http://\(settings.server.address):\(port)\(settings.path)"
    } catch {
      log.close()
      throw StartError(.unavailable, error.description)
    }
  }

  public func reload(_ settings: ReceiverSettings) {
    logger.warning("changed settings take effect at the next start")
  }

  /// Finishes what is under way, then closes the log.
  public func stop() {
    server.stop()
    log.close()
  }
}

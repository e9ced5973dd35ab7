import AppStore
import HTTPClient
public import HTTPServer
import HTTPTypes
public import Service

/// Apple's side of the refund story on this machine: the App Store Server API with Apple's checks, signed notifications,
/// and a control API to set the scene. For tests, demonstrations and rehearsals.
public final class Simulator: Sendable {
  public let settings: SimulatorSettings
  public let identity: StoreIdentity
  private let postman: Postman
  private let server: HTTPServer

  /// Reads or makes certificates and keys; nothing listens yet.
  public init(settings: SimulatorSettings, log: Logger) throws(StoreIdentityError) {
    self.settings = settings
    identity = try StoreIdentity(folder: settings.dataFolder)
    let ledger = Ledger()
    let signer = NotificationSigner(
      signing: identity.signing, bundleId: settings.bundleId, appAppleId: settings.appAppleId,
      environment: settings.environment)
    var client = HTTPClientSettings()
    client.authoritiesPath = settings.authoritiesPath
    let postman = Postman(
      signer: signer, url: settings.notificationURL, client: client, clock: settings.clock, ledger: ledger, log: log)
    self.postman = postman
    let automatic = AutomaticDecision(settings: settings, ledger: ledger, postman: postman, log: log)
    let tokens = BearerTokenJudge(
      keyId: settings.keyId, issuerId: settings.issuerId, bundleId: settings.bundleId, key: identity.apiKey)
    let consumption = ConsumptionEndpoint(
      tokens: tokens, ledger: ledger, environment: settings.environment, clock: settings.clock, log: log,
      accepted: { automatic.answerAccepted($0, now: $1) })
    let template = PurchaseTemplate(bundleId: settings.bundleId, environment: settings.environment)
    var router = HTTPRouter<HTTPRouteHandler>()
    router.add(.put, "/inApps/v2/transactions/consumption/{transactionId}") { request, parameters, reply in
      reply(consumption.respond(to: request, transactionId: parameters["transactionId"]!))
    }
    ControlAPI(
      ledger: ledger, postman: postman, automatic: automatic, template: template, clock: settings.clock
    ).addRoutes(to: &router)
    let routes = router
    server = HTTPServer(settings: settings.server, clock: settings.clock) { request, reply in
      switch routes.match(request.method, request.target) {
      case .found(let handler, let parameters): handler(request, parameters, reply)
      case .reply(let response):
        reply(request.target.path.hasPrefix("/simulator/") ? ControlAPI.plain(response) : response)
      }
    }
  }

  /// Listens and serves on threads of its own.
  /// - Returns: the port, which matters when the settings say 0.
  @discardableResult
  public func start() throws(HTTPServerError) -> UInt16 { try server.start() }

  /// Finishes the post under way and the calls that have begun. Further calls return at once.
  public func stop() {
    postman.stop()
    server.stop()
  }

  deinit { stop() }
}

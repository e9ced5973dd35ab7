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
  private let lateReplies: LateReplies
  private let scenarios: ScenarioShelf
  private let control: ControlAPI
  private let server: HTTPServer
  /// Beside the sandbox; without the control API.
  private let production: HTTPServer?

  /// Reads or makes certificates and keys; nothing listens yet.
  public init(settings: SimulatorSettings, log: Logger) throws(StoreIdentityError) {
    self.settings = settings
    identity = try StoreIdentity(folder: settings.dataFolder)
    let (clock, ledger, faults) = (settings.clock, Ledger(), FaultBook())
    let app = StoreApp(settings)
    let courier = Courier(settings: settings, faults: faults, ledger: ledger, log: log)
    let signer = NotificationSigner(signing: identity.signing, app: app)
    let finder = PurchaseFinder(ledger: ledger, signer: signer)
    let postman = Postman(
      signer: signer, courier: courier, ledger: ledger, clock: clock)
    let player = ScenarioPlayer(ledger: ledger, postman: postman, log: log, standard: Scenario(settings))
    let lateReplies = LateReplies()
    self.postman = postman
    self.lateReplies = lateReplies
    let tokens = BearerTokenJudge(
      keyId: settings.keyId, issuerId: settings.issuerId, bundleIds: [settings.bundleId] + settings.furtherBundleIds,
      key: identity.apiKey)
    let limit = RateLimit(settings.callsPerSecond)
    func storeAPI(_ environment: ServerEnvironment) -> HTTPRouter<HTTPRouteHandler> {
      let gate = StoreGate(
        tokens: tokens, limit: limit, ledger: ledger, faults: faults, lateReplies: lateReplies,
        environment: environment, clock: clock, log: log)
      var router = HTTPRouter<HTTPRouteHandler>()
      StoreRoutes(
        gate: gate, finder: finder,
        tests: TestNotificationEndpoint(
          ledger: ledger, postman: postman, hasURL: settings.notificationURL != nil,
          appAppleId: { $0 == app.bundleId ? app.appAppleId : nil }),
        accepted: { player.answerAccepted($0, now: $1) }
      ).add(to: &router)
      return router
    }
    var router = storeAPI(settings.environment)
    let scenarios = ScenarioShelf(ledger: ledger, clock: clock, log: log)
    let control = ControlAPI(
      ledger: ledger, postman: postman, player: player, faults: faults, scenarios: scenarios,
      template: PurchaseTemplate(app: app), clock: clock)
    control.addRoutes(to: &router)
    self.scenarios = scenarios
    self.control = control
    let routes = router
    server = HTTPServer(settings: settings.server, clock: clock) { request, reply in
      switch routes.match(request.method, request.target) {
      case .found(let handler, let parameters): handler(request, parameters, reply)
      case .reply(let response):
        reply(request.target.path.hasPrefix("/simulator/") ? ControlAPI.plain(response) : response)
      }
    }
    production = settings.productionPort.map { port in
      var listening = settings.server
      listening.port = port
      return HTTPServer(settings: listening, clock: clock, handler: storeAPI(.production).handler)
    }
  }

  /// Listens and serves on threads of its own, and plays the scenario file of the settings.
  /// - Returns: the ports, which matter when the settings say 0; `production` is nil where there is no second one.
  @discardableResult
  public func start() throws(HTTPServerError) -> (port: UInt16, production: UInt16?) {
    let ports = (port: try server.start(), production: try production?.start())
    if let file = settings.scenarioFile { _ = scenarios.play(file, by: control) }
    return ports
  }

  /// Finishes the post under way and the calls that have begun. Further calls return at once.
  public func stop() {
    // Before the postman: what a step waits for comes from there.
    scenarios.stop()
    postman.stop()
    lateReplies.stop()
    production?.stop()
    server.stop()
  }

  deinit { stop() }
}

import AppStore
import Cryptography
import HTTPClient
import HTTPTypes
import JSON
import Service

@testable import AppStoreSimulator

/// Apple: judges the calls that arrive with the simulator's own rules, and posts what it has to tell on Apple's schedule.
final class SimulatedStore: @unchecked Sendable {
  private let world: World
  let ledger = Ledger()
  private var endpoints: [String: ConsumptionEndpoint] = [:]
  private var posted = 0

  init(_ world: World) {
    self.world = world
    for app in Scenery.shared.apps {
      let judge = BearerTokenJudge(
        keyId: app.keyID, issuerId: Scenery.issuerID, bundleIds: [app.identity.bundleId], key: app.key.publicKey)
      for environment in ServerEnvironment.allCases {
        let gate = StoreGate(
          tokens: judge, limit: RateLimit(0), ledger: ledger, faults: FaultBook(), lateReplies: Self.lateReplies,
          environment: environment, clock: WallClock { [scheduler = world.scheduler] in scheduler.now },
          log: Logger(format: .text, clock: .system) { _ in })
        for version in [ConsumptionVersion.version1, .version2] {
          endpoints[Self.name(app.identity.bundleId, environment, version)] = ConsumptionEndpoint(
            gate: gate, version: version, accepted: { _, _ in })
        }
      }
    }
  }

  /// Not used: replies come late by the world's own clock.
  private static let lateReplies = LateReplies()

  private static func name(
    _ bundleID: String, _ environment: ServerEnvironment, _ version: ConsumptionVersion
  ) -> String {
    "\(environment.rawValue) \(bundleID) \(version.rawValue)"
  }

  // MARK: Calls

  /// What the App Store answers to a call that has arrived, with its own time; nil where the connection breaks.
  /// - Parameter claim: for the audit; the App Store knows nothing of claims.
  func take(_ request: HTTPClientRequest, for claim: String?) -> HTTPResponse? {
    var response = request.method == .get ? timeOnly() : answer(request, for: claim)
    response?.fields["Date"] = HTTPDate.text(milliseconds: world.scheduler.now)
    return response
  }

  /// Somebody asks for nothing but the time.
  private func timeOnly() -> HTTPResponse? {
    !world.weather.isCalm && [.cuts, .silent].contains(world.weather.store) ? nil : .empty(404)
  }

  private func answer(_ request: HTTPClientRequest, for claim: String?) -> HTTPResponse? {
    let scheduler = world.scheduler
    let transactionID = String(request.url.target.path.split(separator: "/").last ?? "")
    guard let purchase = ledger.purchase(transactionID), let bundleID = purchase.bundleId else {
      world.audit.violated("a call about \(transactionID), which nobody bought")
      return .empty(404)
    }
    world.audit.arrived(transactionID, request, at: scheduler.now)
    let store = world.weather.isCalm ? .clear : world.weather.store
    switch store {
    case .cuts: return nil
    case .serverErrors: return scheduler.isOne(in: 2) ? .empty(500) : .text("<html>", status: 503)
    case .unauthorised: return .text("Unauthenticated\n", status: 401)
    case .limited:
      let forms = [
        "\(scheduler.now + scheduler.draw(1_000...120_000))", "\(scheduler.now - 3_600_000)", "60",
        "\(scheduler.now + 11 * 3_600_000)",
      ]
      let form = forms[Int(scheduler.draw(0...3))]
      world.audit.limited(claim, until: form == forms[0] ? Int64(form) : nil)
      return .json(
        Array(#"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#.utf8), status: 429,
        fields: ["Retry-After": form])
    case .clear, .silent: break
    }
    if world.unknownToApple.contains(transactionID) {
      return .json(Array(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8), status: 404)
    }
    let host = request.url.origin.description
    let environment = Scenery.addresses.first { host.hasPrefix($0.value) }!.key
    let version: ConsumptionVersion = request.url.target.path.contains("/v1/") ? .version1 : .version2
    let response = endpoints[Self.name(bundleID, environment, version)]!.answer(
      HTTPRequest(method: request.method, target: request.url.target, fields: request.fields, body: request.body),
      transactionId: transactionID
    ).reply
    world.audit.answered(transactionID, response, store)
    // Taken, and nobody hears of it.
    return store == .silent ? nil : response
  }

  // MARK: Notifications

  /// Signs and posts a notification until it is taken or given up, on Apple's schedule.
  func post(_ purchase: Purchase, about payload: JSONObject, after wait: Int64) {
    let scheduler = world.scheduler
    posted += 1
    let digits = String(posted)
    let uuid = "5a000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    var payload = payload
    payload["notificationUUID"] = .string(uuid)
    let isForged = payload["forged"] != nil
    payload["forged"] = nil
    let environment = ServerEnvironment(rawValue: purchase.environment!)!
    let app = Scenery.shared.app(purchase.bundleId!)
    let signer = NotificationSigner(
      signing: isForged ? Scenery.shared.forging : Scenery.shared.signing,
      app: StoreApp(
        bundleId: app.identity.bundleId, appAppleId: app.identity.appAppleId, environment: environment))
    let signed = signer.sign(payload, now: scheduler.now)
    if isForged { world.audit.forged(uuid) }
    scheduler.start("post \(uuid)", at: scheduler.now + wait) { [world] in
      var attempts = 0
      // Production's schedule for both: what the sandbox would lose, the story needs.
      while true {
        attempts += 1
        let copies = scheduler.isOne(in: 6) ? 2 : 1
        var isTaken = false
        for _ in 0..<copies where world.receiver.take(signed.body, uuid: uuid) { isTaken = true }
        if isTaken, !scheduler.isOne(in: 8) { return }
        guard let wait = RedeliverySchedule.production.wait(after: attempts, in: .production), !isForged else { return }
        scheduler.pause(milliseconds: wait + scheduler.draw(0...60_000))
      }
    }
  }
}

import AppStore
import Cryptography
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import AppStoreSimulator

/// A simulator and a receiver on free ports; the receiver keeps the bodies it was posted.
final class Stage: Sendable {
  static let now: Int64 = 1_796_000_000_000
  /// An answer that Apple takes.
  static let good = #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#

  let simulator: Simulator
  let verifier: SignedDataVerifier
  let port: UInt16
  /// Where it stands for Production, if it does so beside the sandbox.
  let productionPort: UInt16?
  private let receiver: HTTPServer
  private let received: Received
  private let folder = TemporaryFolder()
  private let maker: BearerTokenMaker

  private final class Received: Sendable {
    let bodies = Monitor<[[UInt8]]>([])
    let status = Monitor(200)
    /// In place of a reply with that status.
    let behaviour = Monitor<(@Sendable (HTTPReply) -> Void)?>(nil)
  }

  /// - Parameter change: of the settings, which are complete but for it.
  init(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws {
    let received = Received()
    self.received = received
    var listening = HTTPServerSettings()
    listening.threads = 1
    receiver = HTTPServer(settings: listening) { request, reply in
      received.bodies.change { $0.append(request.body) }
      if let behaviour = received.behaviour.withLock({ $0 }) { return behaviour(reply) }
      reply(.empty(received.status.withLock { $0 }))
    }
    let receiverPort = try receiver.start()
    var settings = SimulatorSettings()
    settings.server.threads = 1
    settings.dataFolder = folder.path + "/data"
    settings.notificationURL = try HTTPURL("http://127.0.0.1:\(receiverPort)/v1/notifications")
    settings.clock = .fixed(Self.now)
    change(&settings)
    simulator = try Simulator(
      settings: settings, log: Logger(format: .text, clock: settings.clock, write: { _ in }))
    (port, productionPort) = try simulator.start()
    verifier = SignedDataVerifier(anchors: [try TrustAnchor(path: simulator.identity.rootPath)])
    let pem = Project.bytes(simulator.identity.apiKeyPath)!
    maker = try BearerTokenMaker(
      keyId: settings.keyId, issuerId: settings.issuerId, bundleId: settings.bundleId, key: ECDSAPrivateKey(pem: pem))
  }

  deinit {
    simulator.stop()
    receiver.stop()
  }

  func receiverReplies(_ status: Int) { received.status.withLock { $0 = status } }

  /// What the receiver does with everything from now on; nil for a reply.
  func receiver(_ behaviour: (@Sendable (HTTPReply) -> Void)?) { received.behaviour.withLock { $0 = behaviour } }

  /// How often the receiver got anything.
  var receptions: Int { received.bodies.withLock { $0.count } }

  /// Until that many have come; a failure when they do not within twenty seconds, which is for ever here.
  func waitForNotifications(_ count: Int) {
    let deadline = MonotonicClock.milliseconds() + 20_000
    let came: Bool? = received.bodies.wait(until: deadline) { $0.count < count ? nil : true }
    #expect(came == true, "\(receptions) of \(count) notifications came")
  }

  /// What the receiver got, oldest first, each verified with the simulator's root alone.
  func notifications() throws -> [VerifiedNotification] {
    try received.bodies.withLock { $0 }.map { body in
      let token = try JSONValue(bytes: body)["signedPayload"]!.string!
      return try verifier.verifyNotification(Array(token.utf8)[...])
    }
  }

  func call(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws -> (status: Int, json: JSONValue) {
    try call(method, path, bytes: body?.bytes() ?? [])
  }

  func call(_ method: HTTPMethod, _ path: String, bytes: [UInt8]) throws -> (status: Int, json: JSONValue) {
    let response = try send(method, path, [:], bytes)
    return (response.status, try JSONValue(bytes: response.body))
  }

  /// Apple's call, with a good token unless another is given.
  /// - Parameter port: nil for the simulator's first.
  func answer(
    _ id: String, _ body: String = Stage.good, version: Int = 2, authorization: String? = nil, port: UInt16? = nil
  ) throws -> HTTPResponse {
    let token = authorization ?? maker.token(now: simulator.settings.clock.now()).authorization
    return try send(
      .put, "/inApps/v\(version)/transactions/consumption/\(id)", ["Authorization": token], Array(body.utf8), port: port
    )
  }

  /// A call of Apple's API with a good token, by the client that the services use.
  /// - Parameters:
  ///   - port: nil for the simulator's first.
  ///   - environment: whose address that port has.
  func store<Call: AppStoreCall>(
    _ call: Call, _ environment: ServerEnvironment = .sandbox, port: UInt16? = nil
  ) throws -> AppStoreReply<Call.Reply> {
    let address = try AppStoreAddress("http://127.0.0.1:\(port ?? self.port)")
    let api = AppStoreServerAPI(production: address, sandbox: address)
    let now = simulator.settings.clock.now()
    let request = try api.request(call, environment: environment, tokens: maker, now: now)
    let response = try HTTPClient().send(
      HTTPClientRequest(request.method, request.url, fields: request.fields, body: request.body))
    return AppStoreReply(response, to: call, now: now)
  }

  /// Apple's number for a call that cannot be made by that client.
  func code(_ method: HTTPMethod, _ path: String, _ body: String = "") throws -> Int64? {
    let token = maker.token(now: simulator.settings.clock.now()).authorization
    let response = try send(method, path, ["Authorization": token], Array(body.utf8))
    return response.body.isEmpty ? nil : try JSONValue(bytes: response.body)["errorCode"]?.int64
  }

  /// A token of the account for another of its apps.
  func authorization(bundleId: String) throws -> String {
    let settings = simulator.settings
    let pem = Project.bytes(simulator.identity.apiKeyPath)!
    let maker = try BearerTokenMaker(
      keyId: settings.keyId, issuerId: settings.issuerId, bundleId: bundleId, key: ECDSAPrivateKey(pem: pem))
    return maker.token(now: settings.clock.now()).authorization
  }

  /// Records of a list of the control API.
  func list(_ name: String, _ query: String = "") throws -> [JSONValue] {
    try call(.get, "/simulator/v1/\(name)\(query)").json[name]?.array ?? []
  }

  private func send(_ method: HTTPMethod, _ path: String, _ fields: HTTPFields, _ body: [UInt8], port: UInt16? = nil)
    throws -> HTTPResponse
  {
    let url = try HTTPURL("http://127.0.0.1:\(port ?? self.port)\(path)")
    return try HTTPClient().send(HTTPClientRequest(method, url, fields: fields, body: body))
  }
}

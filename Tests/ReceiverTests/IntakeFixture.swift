import AppStore
import Contracts
import EventLog
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport

@testable import Receiver

/// A notification address on a real socket over a log in memory, and the lines it wrote.
final class IntakeFixture: Sendable {
  static let now: Int64 = 1_796_000_000_500

  let log: any EventLog
  let metrics = MetricRegistry()
  private let written = Lines()
  private let server: HTTPServer
  private let state: StateWriter
  private let folder: KeptFolder
  private let port: UInt16

  init(
    log: any EventLog = IntakeFixture.memory(), apps: [AppIdentity], anchors: [TrustAnchor]
  ) throws {
    self.log = log
    let written = written
    let clock = WallClock.fixed(Self.now)
    let setup = ReceiverSetup(apps: apps, verifier: SignedDataVerifier(anchors: anchors))
    folder = KeptFolder()
    state = StateWriter(
      try StateStore(
        folder: folder.path, parking: ParkingUsage(limits: ParkingLimits(), configured: setup.bundles),
        quarantine: QuarantineLimits()), clock: clock)
    let intake = NotificationIntake(
      setup: setup, log: log, state: state, clock: clock,
      logger: Logger(format: .json, level: .debug, clock: clock) { written.add($0) }, metrics: metrics)
    var router = HTTPRouter<HTTPRouteHandler>()
    router.add(.post, "/v1/notifications") { request, _, reply in intake.receive(request, reply) }
    var settings = HTTPServerSettings()
    settings.threads = 2
    settings.lingerMilliseconds = 200
    server = HTTPServer(settings: settings, clock: clock, handler: router.handler)
    port = try server.start()
  }

  /// For the derived vectors, in both environments.
  static func derived(log: any EventLog = memory()) throws -> IntakeFixture {
    try IntakeFixture(
      log: log,
      apps: [
        AppIdentity(
          bundleId: "com.example.refunds", appAppleId: 1_470_168_111, environments: [.sandbox])
      ], anchors: [TrustAnchor(path: Project.vectors + "/certs/derived/root.der")])
  }

  static func memory() -> MemoryEventLog {
    MemoryEventLog(
      parts: LogParts(
        clock: { now }, randomBytes: { [UInt8](repeating: 7, count: $0) },
        newLogID: { "00000000-0000-4000-8000-000000000001" }))
  }

  deinit {
    server.stop()
    state.close()
  }

  func parked() throws -> [ParkedNotification] { try ReceiverState(folder: folder.path).parked() }

  /// Everything written so far.
  var lines: [String] { written.all }

  func events() throws -> [RecordedEvent] { try log.read(after: .start, limit: 1_000) }

  func send(
    _ body: [UInt8], method: HTTPMethod = .post, type: String = "application/json"
  ) throws -> HTTPResponse {
    let url = try HTTPURL("http://127.0.0.1:\(port)/v1/notifications")
    return try HTTPClient().send(HTTPClientRequest(method, url, fields: ["Content-Type": type], body: body))
  }

  func post(token: [UInt8]) throws -> HTTPResponse { try send(Self.body(token)) }

  static func body(_ token: [UInt8]) -> [UInt8] {
    JSONValue.object(["signedPayload": .string(String(decoding: token, as: UTF8.self))]).bytes()
  }
}

/// A temporary folder that several may hold.
private final class KeptFolder: Sendable {
  private let folder = TemporaryFolder()
  var path: String { folder.path }
}

extension HTTPResponse {
  /// The last part of a problem's `type`.
  var problem: String? {
    guard fields["Content-Type"] == Problem.mediaType else { return nil }
    return (try? JSONValue(bytes: body))?["type"]?.string?.split(separator: ":").last.map(String.init)
  }
}

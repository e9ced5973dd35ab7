import AppStore
import EventLog
import Glibc
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import Synchronization
import TestSupport

@testable import Receiver

/// A whole receiver over a folder, on a real socket, and the lines it wrote.
final class RunningReceiver: Sendable {
  /// 2026-11-10, a day after the derived vectors were signed.
  static let now: Int64 = 1_794_268_800_000

  let folder: String
  let metrics = MetricRegistry()
  private let service: ReceiverService
  private let written = Lines()
  private let isStopped = Atomic(false)

  init(
    _ folder: String, apps: [AppIdentity], anchors: [TrustAnchor], clock: WallClock = .fixed(RunningReceiver.now),
    feedMilliseconds: Int64 = ParkedFeeder.intervalMilliseconds, change: (inout ReceiverSettings) -> Void = { _ in }
  ) throws {
    self.folder = folder
    let settings = try Self.settings(folder, apps: apps, anchors: anchors, clock: clock, change: change)
    let written = written
    service = try ReceiverService(
      settings, logger: Logger(format: .json, level: .debug, clock: clock) { written.add($0) }, metrics: metrics,
      feedMilliseconds: feedMilliseconds)
  }

  deinit { stop() }

  static func settings(
    _ folder: String, apps: [AppIdentity], anchors: [TrustAnchor], clock: WallClock = .fixed(RunningReceiver.now),
    change: (inout ReceiverSettings) -> Void = { _ in }
  ) throws -> ReceiverSettings {
    var settings = try SettingsReader.load(
      file: nil, environment: ["REFUNDLOG_DATA": folder, "REFUNDLOG_RECEIVER_PORT": "0"], ReceiverSettings.init)
    settings.apps = apps
    settings.anchors = anchors
    settings.clock = clock
    settings.server.lingerMilliseconds = 200
    change(&settings)
    return settings
  }

  /// For the app of the derived vectors in the sandbox.
  static func derived(
    _ folder: String, change: (inout ReceiverSettings) -> Void = { _ in }
  ) throws -> RunningReceiver {
    try RunningReceiver(folder, apps: [derivedApp([.sandbox])], anchors: [derivedAnchor()], change: change)
  }

  static func derivedApp(_ environments: Set<ServerEnvironment>) throws -> AppIdentity {
    try AppIdentity(bundleId: "com.example.refunds", appAppleId: 1_470_168_111, environments: environments)
  }

  static func derivedAnchor() throws -> TrustAnchor {
    try TrustAnchor(path: Project.vectors + "/certs/derived/root.der")
  }

  var port: UInt16 { HTTPPort.of(service.ready) }

  /// Everything written so far.
  var lines: [String] { written.all }
  func lines(with text: String) -> [String] { lines.filter { $0.contains(text) } }

  func reload(
    apps: [AppIdentity], anchors: [TrustAnchor], change: (inout ReceiverSettings) -> Void = { _ in }
  ) throws {
    service.reload(try Self.settings(folder, apps: apps, anchors: anchors, change: change))
  }

  func stop() { if !isStopped.exchange(true, ordering: .relaxed) { service.stop() } }

  func send(
    _ body: [UInt8], path: String = "/v1/notifications", method: HTTPMethod = .post, client: HTTPClient = HTTPClient()
  ) throws -> HTTPResponse {
    let url = try HTTPURL("http://127.0.0.1:\(port)\(path)")
    return try client.send(HTTPClientRequest(method, url, fields: ["Content-Type": "application/json"], body: body))
  }

  func post(_ token: [UInt8], path: String = "/v1/notifications") throws -> HTTPResponse {
    try send(IntakeFixture.body(token), path: path)
  }

  func metric(_ line: String) throws -> String? {
    let reply = try send([], path: "/metrics", method: .get)
    return String(decoding: reply.body, as: UTF8.self).split(separator: "\n").map(String.init).first {
      $0.hasPrefix(line + " ")
    }?.split(separator: " ").last.map(String.init)
  }

  /// Everything that is in the log, read beside the running receiver.
  func events() throws -> [RecordedEvent] {
    let log = try LocalEventLog(
      folder: folder, access: .readOnly,
      parts: LogParts(clock: { 0 }, randomBytes: { [UInt8](repeating: 0, count: $0) }, newLogID: { "" }))
    return try log.read(after: .start, limit: 10_000)
  }

  func parked() throws -> [ParkedNotification] { try ReceiverState(folder: folder).parked(limit: 100_000) }

  /// Notes once there are so many: they are written a quarter of a second apart.
  func quarantine(awaiting count: Int = 0) throws -> [QuarantineNote] {
    let deadline = MonotonicClock.milliseconds() + 5_000
    while true {
      let notes = try ReceiverState(folder: folder).quarantine(limit: 10_000)
      if notes.count >= count || MonotonicClock.milliseconds() > deadline { return notes }
      usleep(20_000)
    }
  }
}

enum HTTPPort {
  static func of(_ url: String) -> UInt16 {
    UInt16(url.split(separator: "/")[1].split(separator: ":")[1])!
  }
}

final class Lines: Sendable {
  private let lines = Monitor<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A clock that a test moves.
final class MovableClock: Sendable {
  private let instant: Atomic<Int64>
  init(_ instant: Int64) { self.instant = Atomic(instant) }
  func move(to instant: Int64) { self.instant.store(instant, ordering: .relaxed) }
  var clock: WallClock { WallClock { self.instant.load(ordering: .relaxed) } }
}

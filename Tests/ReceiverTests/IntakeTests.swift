import AppStore
import Contracts
import EventLog
import Glibc
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Receiver

/// The notification address over a real socket, with the log in memory.
@Suite("The notification address") struct IntakeTests {
  /// A running intake for the derived set's app.
  final class Stand {
    let log: any EventLog
    let lines = Monitor<[String]>([])
    private let server: HTTPServer
    private let port: UInt16

    init(log: any EventLog, environments: Set<ServerEnvironment> = [.sandbox], bundleId: String = "com.example.refunds")
      throws
    {
      self.log = log
      let lines = lines
      let intake = NotificationIntake(
        apps: [try AppIdentity(bundleId: bundleId, appAppleId: 1_470_168_111, environments: environments)],
        verifier: SignedDataVerifier(
          anchors: [try TrustAnchor(path: "\(Project.vectors)/certs/derived/root.der")]),
        log: log, clock: .fixed(1_794_301_300_000),
        logger: Logger(format: .json, clock: .fixed(0)) { line in lines.change { $0.append(line) } })
      var router = HTTPRouter<HTTPRouteHandler>()
      router.add(.post, "/v1/notifications") { request, _, reply in intake.receive(request, reply) }
      server = HTTPServer(settings: HTTPServerSettings(), handler: router.handler)
      port = try server.start()
    }

    deinit { server.stop() }

    func send(_ body: [UInt8], _ method: HTTPMethod = .post) throws -> HTTPResponse {
      try HTTPClient().send(
        HTTPClientRequest(
          method, HTTPURL("http://127.0.0.1:\(port)/v1/notifications"), fields: ["Content-Type": "application/json"],
          body: body))
    }

    func post(file: String) throws -> HTTPResponse { try send(IntakeTests.body(file)) }
  }

  static func body(_ file: String) -> [UInt8] {
    let token = Project.bytes("\(Project.vectors)/jws/derived/\(file)") ?? []
    return (["signedPayload": .string(String(decoding: token, as: UTF8.self))] as JSONValue).bytes()
  }

  static func memory() -> MemoryEventLog {
    MemoryEventLog(
      parts: LogParts(clock: { 0 }, randomBytes: { [UInt8](repeating: 1, count: $0) }, newLogID: { "log" }))
  }

  static let rows: [JSONValue] = {
    let bytes = Project.bytes("\(Project.vectors)/http/endpoint-requests.json") ?? []
    return (try? JSONValue(bytes: bytes))?["cases"]?.array ?? []
  }()

  @Test("answers each documented request as it must", arguments: rows)
  func endpoint(row: JSONValue) throws {
    let stand = try Stand(log: Self.memory())
    let method = HTTPMethod(rawValue: try #require(row["method"]?.string))
    let file = row["body"]?["file"]?.string.map { String($0.split(separator: "/").last!) }
    let body = file.map(Self.body) ?? Array((row["body"]?.string ?? "").utf8)
    for _ in 0..<(row["body"]?["repeat"]?.int64 ?? 1) {
      let status = try stand.send(body, method).status
      #expect(Int64(status / 100) == row["statusClass"]?.int64, "\(row["id"]?.string ?? "") gave \(status)")
    }
    let isTaken = row["statusClass"]?.int64 == 2
    #expect(try stand.log.head().position.value == (isTaken ? 1 : 0))
  }

  @Test("has requests to answer") func count() { #expect(Self.rows.count == 12) }

  @Test("stores a notification once, however often and however close together it comes", arguments: [2, 10, 100])
  func duplicates(count: Int) throws {
    let stand = try Stand(log: Self.memory())
    let statuses = Monitor<[Int]>([])
    nonisolated(unsafe) let handed = stand
    let threads = (0..<min(count, 10)).map { thread in
      OwnedThread(name: "poster") {
        for _ in 0..<count / min(count, 10) {
          let status = (try? handed.post(file: "p02-consumption-consumable.jws").status) ?? 0
          statuses.change { $0.append(status) }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(statuses.withLock { $0 } == [Int](repeating: 200, count: count))
    #expect(try stand.log.head().position == Position(1))
  }

  @Test(
    "refuses what can never become good, with a stable code, and keeps nothing of it",
    arguments: [
      ("n11-signature-bit-flipped.jws", "signature-invalid"), ("n17-payload-changed.jws", "signature-invalid"),
      ("n01-two-parts.jws", "token-malformed"), ("n07-alg-none.jws", "token-malformed"),
      ("n21-x5c-one.jws", "chain-not-trusted"), ("n27-other-root-same-name.jws", "chain-not-trusted"),
      ("n35-leaf-expired-at-signeddate.jws", "chain-not-trusted"),
      ("n50-transaction-as-notification.jws", "not-a-notification"),
      ("n51-inner-transaction-foreign-chain.jws", "chain-not-trusted"),
      ("n52-inner-other-bundle.jws", "inner-token-foreign"), ("n54-inner-signature-broken.jws", "signature-invalid"),
      ("i01-no-signeddate.jws", "not-a-notification"),
    ])
  func refused(file: String, code: String) throws {
    let stand = try Stand(log: Self.memory())
    let response = try stand.post(file: file)
    #expect(response.status == 400)
    #expect(response.fields["Content-Type"] == "application/problem+json")
    #expect(try JSONValue(bytes: response.body)["type"]?.string == "urn:refundlog:problem:\(code)")
    #expect(try stand.log.head().position == .start)
    let lines = stand.lines.withLock { $0 }
    #expect(lines.count == 1 && lines[0].contains(code))
  }

  @Test("tells a version 1 body by its name")
  func version1() throws {
    let response = try Stand(log: Self.memory()).send(Array(#"{"notification_type":"REFUND","password":"x"}"#.utf8))
    #expect(response.status == 400)
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(text.contains("notification-version-1") && text.contains("choose version 2"))
  }

  @Test("asks for a genuine notification again that it is not set up for, and says which member differs")
  func notSetUp() throws {
    let other = try Stand(log: Self.memory(), bundleId: "com.example.other")
    let response = try other.post(file: "p02-consumption-consumable.jws")
    #expect(response.status == 503 && response.fields["Retry-After"] == "30")
    #expect(String(decoding: response.body, as: UTF8.self).contains("bundleId is com.example.refunds"))
    let production = try Stand(log: Self.memory(), environments: [.production])
    #expect(try production.post(file: "p02-consumption-consumable.jws").status == 503)
    #expect(try other.log.head().position == .start && production.log.head().position == .start)
  }

  @Test("never says 200 while the log does not take it")
  func closedLog() throws {
    let folder = TemporaryFolder()
    let log = try LocalEventLog.open(folder.path, clock: .system)
    let stand = try Stand(log: log)
    #expect(try stand.post(file: "p02-consumption-consumable.jws").status == 200)
    log.close()
    let response = try stand.post(file: "p03-consumption-auto-renewable.jws")
    #expect(response.status == 503 && response.fields["Retry-After"] != nil)
    #expect(stand.lines.withLock { $0.last }?.contains("not stored") == true)
  }

  @Test("writes no token, payload or account into its lines")
  func lines() throws {
    let stand = try Stand(log: Self.memory())
    for file in ["p02-consumption-consumable.jws", "n11-signature-bit-flipped.jws", "n52-inner-other-bundle.jws"] {
      _ = try stand.post(file: file)
    }
    let lines = stand.lines.withLock { $0 }.joined()
    #expect(!lines.contains("eyJ") && !lines.contains("3f0f9a4e") && !lines.contains("gems100"))
  }

  @Test("refuses a body over a megabyte without reading on")
  func large() throws {
    let stand = try Stand(log: Self.memory())
    #expect(try stand.send([UInt8](repeating: 0x20, count: (1 << 20) + 1)).status == 413)
    #expect(try stand.post(file: "p02-consumption-consumable.jws").status == 200)
  }
}

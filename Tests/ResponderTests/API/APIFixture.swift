import Contracts
import EventLog
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service

@testable import Responder

/// The back end's API on a real socket over a log in memory.
final class APIFixture: Sendable {
  static let token = "a-token-of-the-back-end"

  let log: MemoryEventLog
  private let server: HTTPServer
  private let workers = WorkerPool(threads: 2)
  private let port: UInt16

  init(log: MemoryEventLog = Story.memory()) throws {
    self.log = log
    let clock = WallClock.fixed(Story.start)
    let api = BackendAPI(
      log: log, recorder: Recorder(log: log, clock: clock, logger: ResponderRig.silent), apps: [Story.bundleID],
      guarding: BearerGuard(name: "backend", token: Array(Self.token.utf8)), clock: clock, workers: workers,
      logger: ResponderRig.silent)
    var settings = HTTPServerSettings()
    settings.threads = 1
    server = HTTPServer(settings: settings, clock: clock, handler: api.routes().handler)
    port = try server.start()
  }

  deinit {
    server.stop()
    workers.stop()
  }

  static let evidencePath = "/v1/evidence/Production/2000000000000001"

  func put(
    _ path: String, _ body: JSONValue, key: String? = nil, authorization: String? = "Bearer \(token)"
  ) throws -> HTTPResponse { try put(path, body.bytes(), key: key, authorization: authorization) }

  func put(
    _ path: String, _ body: [UInt8], key: String? = nil, authorization: String? = "Bearer \(token)"
  ) throws -> HTTPResponse {
    var fields: HTTPFields = ["Content-Type": "application/json"]
    if let authorization { fields["Authorization"] = authorization }
    if let key { fields["Idempotency-Key"] = key }
    let url = try HTTPURL("http://127.0.0.1:\(port)\(path)")
    return try HTTPClient().send(HTTPClientRequest(.put, url, fields: fields, body: body))
  }

  func events() throws -> [RecordedEvent] { try log.read(after: .start, limit: 1_000) }

  static func consent(
    account: String = Story.account, granted: Bool = true, bundleID: String = Story.bundleID,
    statedAt: Int64 = Story.start
  ) -> JSONValue {
    [
      "bundleId": .string(bundleID), "account": .string(account), "granted": .bool(granted), "textVersion": "1",
      "textDigest": .string(Story.digest), "channel": "app", "statedAt": .number(JSONNumber(statedAt)),
    ]
  }

  static func evidence(share: Int64, bundleID: String = Story.bundleID) -> JSONValue {
    [
      "bundleId": .string(bundleID), "statedAt": .number(JSONNumber(Story.start)),
      "values": ["consumptionPercentage": .number(JSONNumber(share)), "deliveryStatus": "DELIVERED"],
    ]
  }
}

extension HTTPResponse {
  var json: JSONValue? { try? JSONValue(bytes: body) }
  /// The last part of a problem's `type`.
  var problem: String? { json?["type"]?.string?.split(separator: ":").last.map(String.init) }
}

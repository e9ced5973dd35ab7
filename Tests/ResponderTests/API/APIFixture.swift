import Contracts
import EventLog
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport

@testable import Responder

/// The responder's API on a real socket over a log in memory, with projection and tokens in a folder.
final class APIFixture {
  static let token = "a-token-of-the-back-end"

  let log: MemoryEventLog
  let folder = TemporaryFolder()
  let tokens: APITokens
  let guarding: TokenGuard
  let metrics = MetricRegistry()
  let endpoints: [Endpoint]
  private let projector: Projector
  private let server: HTTPServer
  private let workers = WorkerPool(threads: 2)
  private let port: UInt16

  init(
    log: MemoryEventLog = Story.memory(), now: Int64 = Story.start, apps: Set<String> = [Story.bundleID],
    token: String? = token
  ) throws {
    self.log = log
    let clock = WallClock.fixed(now)
    let logger = ResponderRig.silent
    tokens = try APITokens(folder: folder.path, clock: clock)
    guarding = TokenGuard(tokens: tokens, token: token.map { Array($0.utf8) }, logger: logger)
    projector = try Projector(log: log, store: CaseStore(folder: folder.path))
    let api = ResponderAPI(
      log: log, recorder: Recorder(log: log, clock: clock, logger: logger),
      texts: ConsentTexts(log: log, clock: clock, logger: logger),
      reader: CaseReader(folder: folder.path, log: log, clock: clock), apps: Monitor(apps), guarding: guarding,
      clock: clock,
      workers: workers, metrics: APIMetrics(metrics), logger: logger)
    endpoints = api.endpoints
    var settings = HTTPServerSettings()
    settings.threads = 1
    server = HTTPServer(settings: settings, clock: clock, handler: api.routes().handler)
    port = try server.start()
  }

  deinit {
    server.stop()
    workers.stop()
  }

  /// Brings the projection up to the log's head.
  func follow() throws { while try projector.advance() != nil {} }

  static let evidencePath = "/v1/evidence/Production/2000000000000001"

  func put(
    _ path: String, _ body: JSONValue, key: String? = nil, authorization: String? = "Bearer \(token)"
  ) throws -> HTTPResponse { try put(path, body.bytes(), key: key, authorization: authorization) }

  func put(
    _ path: String, _ body: [UInt8], key: String? = nil, authorization: String? = "Bearer \(token)"
  ) throws -> HTTPResponse { try send(.put, path, body, key: key, authorization: authorization) }

  func post(
    _ path: String, _ body: JSONValue, key: String? = nil, token: String = token
  ) throws -> HTTPResponse { try send(.post, path, body.bytes(), key: key, authorization: "Bearer \(token)") }

  func get(_ path: String, token: String = token) throws -> HTTPResponse {
    try send(.get, path, [], authorization: "Bearer \(token)")
  }

  func send(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8], key: String? = nil, authorization: String?
  ) throws -> HTTPResponse {
    var fields: HTTPFields = ["Content-Type": "application/json"]
    if let authorization { fields["Authorization"] = authorization }
    if let key { fields["Idempotency-Key"] = key }
    let url = try HTTPURL("http://127.0.0.1:\(port)\(path)")
    return try HTTPClient().send(HTTPClientRequest(method, url, fields: fields, body: body))
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

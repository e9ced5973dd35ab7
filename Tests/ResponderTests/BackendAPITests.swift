import Contracts
import EventLog
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("The back end's calls") struct BackendAPITests {
  private static let now: Int64 = 1_794_301_200_000
  private static let account = "3F0F9A4E-6c11-4a39-9a55-0c1f2f6a7d10"

  /// The API over a socket and a log in memory.
  final class Stand {
    let log = MemoryLog.make()
    private let workers = WorkerPool(threads: 2)
    private let server: HTTPServer
    private let port: UInt16
    private let client = HTTPClient()

    init() throws {
      let clock = WallClock.fixed(BackendAPITests.now)
      let api = BackendAPI(
        log: log, recorder: Recorder(log: log, clock: clock, logger: Logger(format: .json, clock: clock) { _ in }),
        apps: ["com.example"],
        guarding: BearerGuard(name: "backend", token: Array("secret".utf8)), clock: clock, workers: workers)
      server = HTTPServer(settings: HTTPServerSettings(), handler: api.routes().handler)
      port = try server.start()
    }

    deinit {
      server.stop()
      workers.stop()
    }

    func put(
      _ path: String, _ body: JSONValue, token: String? = "Bearer secret", key: String? = nil
    ) throws -> HTTPResponse { try put(path, body.bytes(), token: token, key: key) }

    func put(
      _ path: String, _ body: [UInt8], token: String? = "Bearer secret", key: String? = nil
    ) throws -> HTTPResponse {
      var fields = HTTPFields()
      if let token { fields["Authorization"] = token }
      if let key { fields["Idempotency-Key"] = key }
      return try client.send(
        HTTPClientRequest(.put, HTTPURL("http://127.0.0.1:\(port)\(path)"), fields: fields, body: body))
    }
  }

  private func consent(granted: Bool = true, account: String = BackendAPITests.account) -> JSONValue {
    [
      "bundleId": "com.example", "account": .string(account), "granted": .bool(granted), "textVersion": "1",
      "textDigest": .string(String(repeating: "a", count: 64)), "channel": "app",
      "statedAt": .number(JSONNumber(Self.now)),
    ]
  }

  private func evidence(_ used: Int64) -> JSONValue {
    [
      "bundleId": "com.example", "statedAt": .number(JSONNumber(Self.now)),
      "values": ["unitsGranted": 10, "unitsUsed": .number(JSONNumber(used))],
    ]
  }

  private func problem(_ response: HTTPResponse) -> String? {
    (try? JSONValue(bytes: response.body))?["type"]?.string.map { String($0.split(separator: ":").last!) }
  }

  @Test(
    "need the token, whole and as a bearer", arguments: [nil, "secret", "Bearer secre", "Bearer secret2", "bearer"])
  func tokens(token: String?) throws {
    let stand = try Stand()
    let response = try stand.put("/v1/consents", consent(), token: token)
    #expect(response.status == 401 && problem(response) == "unauthorised")
    #expect(try stand.log.head().position == .start)
  }

  @Test("keep a consent under a pseudonym that is the same for every spelling of the account")
  func consents() throws {
    let stand = try Stand()
    #expect(try stand.put("/v1/consents", consent()).status == 201)
    #expect(try stand.put("/v1/consents", consent(granted: false, account: Self.account.lowercased())).status == 201)
    let events = try stand.log.read(after: .start, limit: 10)
    #expect(events.count == 2 && events[0].stream == events[1].stream)
    #expect(events[0].stream.text == "customer/\(events[0].customer ?? "")")
    #expect(events[0].id.text == "consent/\(events[0].stream)/1")
    #expect(events.allSatisfy { !"\($0.id) \($0.stream)".lowercased().contains("3f0f9a4e") })
    let record = try ConsentRecorded(data: events[0].data!)
    #expect(record.account == Self.account && record.granted && record.by == "backend")
  }

  @Test("leave an event for each change and none for what is equal to the newest")
  func changes() throws {
    let stand = try Stand()
    let path = "/v1/evidence/Sandbox/42"
    for (used, status) in [(1, 201), (1, 200), (2, 201), (1, 201)] as [(Int64, Int)] {
      #expect(try stand.put(path, evidence(used)).status == status)
    }
    let events = try stand.log.read(stream: StreamName("purchase/Sandbox/42"), after: 0, limit: 10)
    #expect(events.map(\.id.text) == (1...3).map { "evidence/purchase/Sandbox/42/\($0)" })
  }

  @Test("with an Idempotency-Key are taken once; another content under it is refused")
  func keys() throws {
    let stand = try Stand()
    let path = "/v1/evidence/Sandbox/42"
    #expect(try stand.put(path, evidence(1), key: "k").status == 201)
    let again = try stand.put(path, evidence(1), key: "k")
    #expect(again.status == 200)
    #expect(try JSONValue(bytes: again.body)["recorded"]?.bool == false)
    let other = try stand.put(path, evidence(2), key: "k")
    #expect(other.status == 409 && problem(other) == "idempotency-key-reused")
    #expect(try stand.put(path, evidence(1), key: "k2").status == 201)
    #expect(try problem(stand.put(path, evidence(1), key: "two words")) == "idempotency-key-invalid")
    let ids = try stand.log.read(after: .start, limit: 10).map(\.id.text)
    #expect(ids.count == 2 && ids.allSatisfy { $0.hasPrefix("evidence/com.example/") && !$0.hasSuffix("/k") })
  }

  @Test(
    "refuse what is not right, and keep nothing of it",
    arguments: [
      ("/v1/consents", "{", 400, "malformed-json"), ("/v1/consents", "{}", 422, "invalid-members"),
      ("/v1/evidence/sandbox/42", "{}", 422, "purchase-invalid"),
      (
        "/v1/evidence/Sandbox/42",
        #"{"bundleId":"com.example","statedAt":1794301200000,"values":{"consumptionPercentage":94}}"#, 422,
        "invalid-members"
      ),
      (
        "/v1/evidence/Sandbox/42", #"{"bundleId":"com.other","statedAt":1794301200000,"known":false}"#, 422,
        "invalid-members"
      ),
    ])
  func faults(path: String, body: String, status: Int, code: String) throws {
    let stand = try Stand()
    let response = try stand.put(path, Array(body.utf8))
    #expect(response.status == status && problem(response) == code)
    #expect(try stand.log.head().position == .start)
  }
}

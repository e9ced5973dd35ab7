import AppStore
import AppStoreSimulator
import Contracts
import EventLog
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Every error that Apple's pages name for an answer, at both endpoints, through the real programs.
@Suite("An error of Apple's to an answer", .serialized) struct AnswerErrorTests {
  struct Row: Sendable {
    var id: String
    var version: Int64
    var status: Int64
    var code: Int64?
    var failure: ConsumptionFailed.Failure
    /// That Apple gets, the last one taken where there are two.
    var calls: Int
    /// Part of the sentence for the operator.
    var words: String
  }

  /// How each token of ours begins: its header, `{"alg":"ES256","`.
  private static let token = "eyJhbGciOiJFUzI1NiIs"
  private static let version2: [Int64] = [
    4_000_006, 4_000_035, 4_000_036, 4_000_041, 4_000_044, 4_000_048, 4_000_185, 4_000_209, 4_000_227, 4_040_010,
    5_000_000, 5_000_001,
  ]
  private static let version1: [Int64] =
    Array(4_000_032...4_000_042) + [4_000_044, 4_000_047, 4_000_227, 4_040_010, 5_000_000]

  /// Those that Apple's pages give no number for come with one that nobody knows, or with none.
  static let rows: [Row] = {
    var rows: [Row] = []
    func add(_ version: Int64, _ status: Int64, _ code: Int64?, _ failure: ConsumptionFailed.Failure, _ words: String) {
      let id = "30000000000\(10_000 + rows.count)"
      rows.append(
        Row(
          id: id, version: version, status: status, code: code, failure: failure,
          calls: failure == .passing ? 2 : 1, words: words))
    }
    for (version, codes) in [(2, version2), (1, version1)] as [(Int64, [Int64])] {
      for code in codes {
        let known = AppStoreKnownError.of(code)!
        let failure: ConsumptionFailed.Failure =
          known.status >= 500 ? .passing : code == 4_000_209 ? .fixAndSend : .refused
        add(version, Int64(known.status), code, failure, known.words)
      }
      add(version, 400, 4_000_901, .refused, "the same again would be refused again")
      add(version, 400, nil, .refused, "the same again would be refused again")
      add(version, 404, nil, .refused, "check sandbox against production")
      add(version, 503, nil, .passing, "later again")
      add(version, 408, nil, .passing, "later again")
    }
    return rows
  }()

  @Test("is put in its class, repeated only where that can help, and told with what to do", .timeLimit(.minutes(5)))
  func errors() throws {
    let folder = TemporaryFolder()
    var app = Installation.apps
    app["environments"] = ["Sandbox"]
    app["consentBasis"] = [
      "kind": "terms", "textVersion": "1", "effectiveFrom": "2020-01-01T00:00:00Z", "optOut": "by mail",
      "coversUnidentified": true,
    ]
    let programs = try Programs(in: folder.path, app: app, trustsSimulator: true, simulator: ["callsPerSecond": 0])
    defer { programs.stop() }
    let control = "/simulator/v1"
    for row in Self.rows {
      var fault: JSONObject = [
        "fault": "error", "transactionId": .string(row.id), "status": .number(JSONNumber(row.status)),
      ]
      fault["errorCode"] = row.code.map { .number(JSONNumber($0)) }
      _ = try programs.simulator(.post, control + "/faults", .object(fault))
      var transaction: JSONObject = ["transactionId": .string(row.id), "type": "Consumable"]
      if row.version == 1 { transaction["advancedCommerceInfo"] = ["requestReferenceId": "1"] }
      _ = try programs.simulator(.post, control + "/refund-requests", ["transaction": .object(transaction)])
    }
    let log = try programs.log()
    defer { log.close() }
    func events(_ type: EventType) throws -> [RecordedEvent] {
      try log.read(after: .start, limit: 1_000).filter { $0.type == type.rawValue }
    }
    let taken = Self.rows.filter { $0.failure == .passing }.count
    try programs.eventually("every request has come to its end", within: 120) {
      try events(.consumptionFailed).count >= Self.rows.count && events(.consumptionSent).count >= taken
    }
    let answers = try programs.simulator(.get, control + "/answers")["answers"]?.array ?? []
    let failed = try events(.consumptionFailed)
    for row in Self.rows {
      let failures = failed.filter { $0.stream.text == "purchase/Sandbox/\(row.id)" }
      let told = try ConsumptionFailed(data: try #require(failures.first?.data))
      #expect(failures.count == 1 && told.failure == row.failure, "\(row)")
      #expect(told.status == row.status && told.errorCode == row.code)
      #expect(told.explanation.contains(row.words), "\(row): \(told.explanation)")
      let calls = answers.filter { $0["transactionId"]?.string == row.id }
      #expect(calls.count == row.calls, "\(row)")
      #expect(calls.allSatisfy { $0["endpointVersion"]?.int64 == row.version })
      #expect(calls.last?["status"]?.int64 == (row.calls == 2 ? 202 : row.status))
    }
    #expect(try events(.consumptionSent).count == taken)
    // Each of those calls bore a token: none of them is in the log or among the lines.
    for event in try log.read(after: .start, limit: 1_000) {
      #expect(!String(decoding: event.data ?? [], as: UTF8.self).contains(Self.token), "\(event.id)")
    }
    for program in ["refund-receiver", "refund-responder"] {
      let lines = programs.lines(of: program)
      #expect(!lines.isEmpty && !lines.contains(Self.token))
    }
  }

  @Test("to a purchase of the Advanced Commerce API does not come about: its body is taken", .timeLimit(.minutes(5)))
  func version1() throws {
    let folder = TemporaryFolder()
    var app = Installation.apps
    app["environments"] = ["Sandbox"]
    let programs = try Programs(in: folder.path, app: app, trustsSimulator: true)
    defer { programs.stop() }
    let steps: JSONValue = [
      [
        "do": "refundRequest",
        "transaction": [
          "transactionId": "3000000000000001", "type": "Auto-Renewable Subscription",
          "advancedCommerceInfo": ["requestReferenceId": "1"],
        ],
      ], ["do": "awaitAnswer", "transactionId": "3000000000000001", "withinMilliseconds": 120_000],
      ["do": "decision", "transactionId": "3000000000000001", "decision": "REFUND_DECLINED"],
    ]
    _ = try programs.simulator(.post, "/simulator/v1/scenarios", ["steps": steps])
    try programs.eventually("the scenario is played", within: 120) {
      try programs.simulator(.get, "/simulator/v1/scenarios")["scenarios"]?.array?.last?["state"]?.string == "done"
    }
    let answers = try programs.simulator(.get, "/simulator/v1/answers")["answers"]?.array ?? []
    #expect(answers.map { $0["status"]?.int64 } == [202] && answers[0]["endpointVersion"]?.int64 == 1)
    #expect(answers[0]["remarks"] == nil)
    let log = try programs.log()
    defer { log.close() }
    try programs.eventually("the outcome is recorded", within: 60) {
      try log.read(after: .start, limit: 1_000).contains { $0.type == EventType.outcome.rawValue }
    }
  }
}

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

/// Every error that Apple's pages name for an answer, at both endpoints, and what may stand in its place, through the
/// real programs.
@Suite("An error of Apple's to an answer", .serialized) struct AnswerErrorTests {
  struct Row: Sendable {
    var id: String
    var version: Int64
    /// As the simulator is asked for it.
    var fault: String
    /// nil where no reply comes.
    var status: Int64?
    var code: Int64?
    var failure: ConsumptionFailed.Failure
    /// Part of the sentence for the operator.
    var words: String

    /// Apple gets another call, which it takes.
    var isTakenInTheEnd: Bool { failure != .refused }
  }

  /// How each token of ours begins: its header, `{"alg":"ES256","`.
  private static let token = "eyJhbGciOiJFUzI1NiIs"
  private static let version2: [Int64] = [
    4_000_000, 4_000_006, 4_000_035, 4_000_036, 4_000_041, 4_000_044, 4_000_048, 4_000_185, 4_000_209, 4_000_227,
    4_040_010, 5_000_000, 5_000_001,
  ]
  private static let version1: [Int64] =
    [4_000_000] + Array(4_000_032...4_000_044) + [4_000_047, 4_000_227, 4_040_010, 5_000_000]
  /// Apple's pages give no numbers for these; the simulator has some of its own.
  private static let withoutNumber: [Int64] = [4_000_901, 4_000_902, 4_000_903]

  static let rows: [Row] = {
    var rows: [Row] = []
    func add(
      _ version: Int64, _ fault: String, _ status: Int64?, _ code: Int64?, _ failure: ConsumptionFailed.Failure,
      _ words: String
    ) {
      rows.append(
        Row(
          id: "30000000000\(10_000 + rows.count)", version: version, fault: fault, status: status, code: code,
          failure: failure, words: words))
    }
    for (version, codes) in [(2, version2), (1, version1)] as [(Int64, [Int64])] {
      for code in codes {
        let known = AppStoreKnownError.of(code)!
        let failure: ConsumptionFailed.Failure =
          known.status >= 500 ? .passing : code == 4_000_209 ? .fixAndSend : .refused
        add(version, "error", Int64(known.status), code, failure, known.words)
      }
      for code in version == 2 ? withoutNumber : [4_000_901] {
        add(version, "error", 400, code, .refused, "the same again would be refused again")
      }
      add(version, "error", 400, nil, .refused, "the same again would be refused again")
      add(version, "error", 404, nil, .refused, "check sandbox against production")
      add(version, "error", 503, nil, .passing, "later again")
      add(version, "error", 408, nil, .passing, "later again")
      add(version, "rateLimited", 429, 4_290_000, .limit, "wait until the instant that Apple names")
      add(version, "lostReply", nil, nil, .unknown, "whether the server acted is not known")
      add(version, "cut", nil, nil, .unknown, "whether the server acted is not known")
    }
    return rows
  }()

  private func programs(in folder: String) throws -> Programs {
    var app = Installation.apps
    app["environments"] = ["Sandbox"]
    app["consentBasis"] = [
      "kind": "terms", "textVersion": "1", "effectiveFrom": "2020-01-01T00:00:00Z", "optOut": "by mail",
      "coversUnidentified": true,
    ]
    return try Programs(in: folder, app: app, trustsSimulator: true, simulator: ["callsPerSecond": 0])
  }

  /// The next call about the row's purchase goes wrong as it says; then the customer wants a refund.
  private func order(_ row: Row, of programs: Programs) throws {
    var fault: JSONObject = ["fault": .string(row.fault), "transactionId": .string(row.id)]
    switch row.fault {
    case "error":
      fault["status"] = .number(JSONNumber(row.status!))
      fault["errorCode"] = row.code.map { .number(JSONNumber($0)) }
    case "rateLimited": fault["aheadMilliseconds"] = 1_000
    default: break
    }
    _ = try programs.simulator(.post, "/simulator/v1/faults", .object(fault))
    // An answer that nothing can be left out of would be refused for good.
    if row.failure == .fixAndSend {
      try programs.evidence("Sandbox/\(row.id)", of: Installation.bundleID, ["consumptionPercentage": 40_000])
    }
    var transaction: JSONObject = ["transactionId": .string(row.id), "type": "Consumable"]
    if row.version == 1 { transaction["advancedCommerceInfo"] = ["requestReferenceId": "1"] }
    _ = try programs.simulator(.post, "/simulator/v1/refund-requests", ["transaction": .object(transaction)])
  }

  private func events(_ type: EventType, in log: LocalEventLog) throws -> [RecordedEvent] {
    try log.read(after: .start, limit: 2_000).filter { $0.type == type.rawValue }
  }

  /// What the log, Apple and the command line say of it.
  private func check(_ row: Row, _ answers: [JSONValue], _ programs: Programs, _ log: LocalEventLog) throws {
    let failures = try events(.consumptionFailed, in: log).filter { $0.stream.text == "purchase/Sandbox/\(row.id)" }
    let told = try ConsumptionFailed(data: try #require(failures.first?.data))
    #expect(failures.count == 1 && told.failure == row.failure, "\(row)")
    #expect(told.status == row.status && told.errorCode == row.code, "\(row)")
    #expect(told.explanation.contains(row.words), "\(row): \(told.explanation)")
    let calls = answers.filter { $0["transactionId"]?.string == row.id }
    #expect(calls.count == (row.isTakenInTheEnd ? 2 : 1), "\(row)")
    #expect(calls.allSatisfy { $0["endpointVersion"]?.int64 == row.version })
    #expect(calls.last?["status"]?.int64 == (row.isTakenInTheEnd ? 202 : row.status), "\(row)")
    let request = try #require(try programs.page("Sandbox/\(row.id)")["requests"]?.array?.first)
    #expect(request["state"]?.string == (row.isTakenInTheEnd ? "answered" : "failed"), "\(row)")
    #expect(request["attempts"]?.array?.first?["explanation"]?.string == told.explanation, "\(row)")
    if row.failure == .fixAndSend {
      let bodies = try calls.map { try JSONValue(bytes: Array(($0["body"]?.string ?? "").utf8)) }
      #expect(bodies.map { $0["consumptionPercentage"]?.int64 } == [40_000, nil])
    }
  }

  /// Each of those calls bore a token: none of them is in the log or among the lines.
  private func checkSecrets(_ programs: Programs, _ log: LocalEventLog) throws {
    for event in try log.read(after: .start, limit: 2_000) {
      #expect(!String(decoding: event.data ?? [], as: UTF8.self).contains(Self.token), "\(event.id)")
    }
    for program in ["refund-receiver", "refund-responder"] {
      let lines = programs.lines(of: program)
      #expect(!lines.isEmpty && !lines.contains(Self.token))
    }
  }

  @Test("is put in its class, repeated only where that can help, and told with what to do", .timeLimit(.minutes(5)))
  func errors() throws {
    let folder = TemporaryFolder()
    let programs = try programs(in: folder.path)
    defer { programs.stop() }
    for row in Self.rows { try order(row, of: programs) }
    let log = try programs.log()
    defer { log.close() }
    let taken = Self.rows.filter(\.isTakenInTheEnd).count
    try programs.eventually("every request has come to its end", within: 180) {
      try events(.consumptionFailed, in: log).count >= Self.rows.count
        && events(.consumptionSent, in: log).count >= taken
    }
    let answers = try programs.simulator(.get, "/simulator/v1/answers")["answers"]?.array ?? []
    for row in Self.rows { try check(row, answers, programs, log) }
    #expect(try events(.consumptionSent, in: log).count == taken)
    try checkSecrets(programs, log)
  }

  @Test("to the token holds the app's calls up until one is taken, and every request is answered then")
  func unauthorised() throws {
    let folder = TemporaryFolder()
    let programs = try programs(in: folder.path)
    defer { programs.stop() }
    let row = Row(
      id: "3000000000099999", version: 2, fault: "unauthenticated", status: 401, code: nil, failure: .unauthorised,
      words: "likely causes, the likeliest first: (1)")
    try order(row, of: programs)
    let log = try programs.log()
    defer { log.close() }
    try programs.eventually("it is answered in the end", within: 60) {
      try events(.consumptionSent, in: log).count == 1
    }
    let answers = try programs.simulator(.get, "/simulator/v1/answers")["answers"]?.array ?? []
    try check(row, answers, programs, log)
    try checkSecrets(programs, log)
  }

  @Test("is one of those that the list of facts names for these two calls") func facts() throws {
    guard let folder = Project.sharedVectors else { return }
    let facts = try JSONValue(bytes: try #require(Project.bytes("\(folder)/../api-errors.json")))
    for error in try #require(facts["errors"]?.array) {
      let calls = error["endpoints"]?.array?.compactMap(\.string) ?? []
      // An error without a number has a row of its own.
      guard let code = error["code"]?.int64 else { continue }
      for (version, call) in [(2, "Send Consumption Information (v2)"), (1, "Send Consumption Information V1")]
      where calls.contains(call) || calls.contains("all") {
        #expect(Self.rows.contains { $0.version == version && $0.code == code }, "\(code) at version \(version)")
      }
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

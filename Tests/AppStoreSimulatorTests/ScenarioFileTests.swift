import AppStore
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import AppStoreSimulator

@Suite("A scenario file", .timeLimit(.minutes(5))) struct ScenarioFileTests {
  private static let app = StoreApp(bundleId: "com.example.app", appAppleId: nil, environment: .sandbox)

  private static func read(_ text: String) throws -> ScenarioFile {
    try ScenarioFile(Array(text.utf8), name: "story.json", app: app)
  }

  private static func faults(_ text: String) -> [String] {
    do throws(ScenarioFileError) {
      _ = try ScenarioFile(Array(text.utf8), name: "story.json", app: app)
      return []
    } catch {
      return error.faults
    }
  }

  // MARK: What is wrong

  @Test("tells all that is wrong at once, each with its place and what is allowed") func places() {
    let text = """
      { "name": "A story",
        "steps": [
          { "do": "refundRequest", "transaction": "1", "scenario": { "decide": "GRANT" } },
          { "do": "decision", "transactionId": "1" },
          { "do": "decide" },
          7,
          { "do": "fault",
            "fault": "rateLimited", "times": 0 },
          { "do": "event", "notificationType": "REFUNDED" },
          { "do": "transaction", "transactionId": "1", "type": "Gift" },
          { "do": "clearFaults", "afterMilliseconds": "10" },
          { "do": "awaitAnswer", "transactionId": "1", "withn": 1 } ] }
      """
    let faults = Self.faults(text)
    let expected = [
      (
        "story.json, line 3, column 74: decide is not one of",
        "REFUND_DECLINED"
      ),
      ("story.json, line 4, column 5: decision is missing: one of REFUND, REFUND_DECLINED, REFUND_REVERSED", ""),
      ("story.json, line 5, column 13: do is not one of transaction, order, refundRequest", "awaitAnswer"),
      ("story.json, line 6, column 5: a step is an object", "refundRequest"),
      ("story.json, line 8, column 40: times is no integer from 1 to 1000000", ""),
      ("story.json, line 9, column 42: notificationType is not one of CONSUMPTION_REQUEST", "REFUND_DECLINED"),
      ("story.json, line 10, column 58: type is \"Gift\"; allowed are Auto-Renewable Subscription", ""),
      ("story.json, line 11, column 49: afterMilliseconds is no integer from 0 to 31536000000", ""),
      ("story.json, line 12, column 59: withn is not known here; known are transactionId, withinMilliseconds", ""),
    ]
    #expect(faults.count == expected.count)
    for (fault, (start, word)) in zip(faults, expected) {
      #expect(fault.hasPrefix(start), "\(fault)")
      #expect(word.isEmpty || fault.contains(word))
    }
  }

  @Test(
    "is refused where it is no such file",
    arguments: [
      ("", "story.json, line 1, column 1: "), ("{\n  \"steps\": [,]}", "story.json, line 2, column 13: "),
      ("[]", "story.json, line 1, column 1: a scenario file is one object with the list \"steps\""),
      (#"{"steps":{}}"#, "story.json, line 1, column 1: a scenario file is one object"),
      (#"{"steps":[]}"#, "story.json, line 1, column 10: steps holds 0 steps; allowed are 1 to 1000"),
      (#"{"steps":[{"do":"clearFaults"}],"step":1}"#, "story.json, line 1, column 40: step is not known here"),
      (#"{"steps":[{"do":"clearFaults"}],"name":1}"#, "story.json, line 1, column 40: name is not a text"),
    ])
  func noFile(text: String, start: String) {
    let faults = Self.faults(text)
    #expect(faults.count == 1 && faults[0].hasPrefix(start), "\(faults)")
  }

  @Test("has bounds") func bounds() {
    func file(_ count: Int, _ step: String) -> String {
      #"{"steps":[\#(Array(repeating: step, count: count).joined(separator: ","))]}"#
    }
    #expect(Self.faults(file(1000, #"{"do":"clearFaults"}"#)).isEmpty)
    #expect(Self.faults(file(1001, #"{"do":"clearFaults"}"#)).count == 1)
    // What is wrong a thousand times is told twenty times.
    #expect(Self.faults(file(1000, "1")).count == 20)
  }

  @Test("named in the settings stops the start with its path, line and column") func settings() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/story.json"
    try Files.write(Array("{\"steps\":\n[{\"do\":\"decision\"}]}".utf8), to: path)
    func load() throws -> SimulatorSettings {
      try SettingsReader.load(file: nil, environment: ["REFUNDLOG_SIMULATOR_SCENARIO_FILE": path]) {
        SimulatorSettings($0)
      }
    }
    let error = #expect(throws: SettingsError.self) { try load() }
    #expect(error?.description.contains("simulator.scenarioFile is not right") == true)
    #expect(error?.description.contains("\(path), line 2, column 2: transactionId is missing") == true)
    try Files.write(Array(#"{"name":"None","steps":[{"do":"clearFaults"}]}"#.utf8), to: path)
    #expect(try load().scenarioFile?.name == "None")
    let missing = #expect(throws: SettingsError.self) {
      try SettingsReader.load(file: nil, environment: ["REFUNDLOG_SIMULATOR_SCENARIO_FILE": path + "x"]) {
        SimulatorSettings($0)
      }
    }
    #expect(missing?.description.contains(path + "x") == true)
  }

  @Test("stands whole in the guide") func guide() throws {
    let text = String(decoding: try #require(Project.bytes(Project.root + "/docs/rehearsing.md")), as: UTF8.self)
    let blocks = text.components(between: "```json\n", and: "```").filter { $0.contains("\"steps\"") }
    #expect(!blocks.isEmpty)
    for block in blocks { #expect(Self.faults(block).isEmpty, "\(Self.faults(block))") }
    for word in ScenarioStep.Word.allCases { #expect(text.contains("`\(word.rawValue)`")) }
  }

  // MARK: How it is played

  private static func play(_ stage: Stage, _ steps: [JSONValue]) throws {
    let reply = try stage.call(
      .post, "/simulator/v1/scenarios", ["name": "A story", "steps": .array(steps)])
    #expect(reply.status == 201, "\(reply.json)")
  }

  /// Waits until the newest has ended; ten seconds at most.
  private static func end(_ stage: Stage) throws -> JSONValue {
    let deadline = MonotonicClock.milliseconds() + 10_000
    while true {
      let run = try #require(try stage.list("scenarios").last)
      if run["state"]?.string != "playing" || MonotonicClock.milliseconds() > deadline { return run }
    }
  }

  @Test("is played step by step, each after the one before, on the set clock") func whole() throws {
    let speed = 60.0
    let stage = try Stage {
      $0.callsPerSecond = 0
      $0.clock = WallClock(speed: speed) {
        Stage.now + Int64(Double(MonotonicClock.milliseconds() - Self.began) * speed)
      }
    }
    try Self.play(
      stage,
      [
        ["do": "transaction", "transactionId": "1", "type": "Consumable"],
        ["do": "order", "orderId": "MK1", "transactions": ["1"]],
        ["do": "fault", "fault": "serverError", "comment": "the first answer gets nowhere"],
        ["do": "refundRequest", "transaction": "1", "consumptionRequestReason": "LEGAL"],
        ["do": "awaitAnswer", "transactionId": "1"],
        ["do": "decision", "transactionId": "1", "decision": "REFUND", "afterMilliseconds": 60_000],
        ["do": "event", "notificationType": "REVOKE", "transaction": "1", "afterMilliseconds": 30_000],
        ["do": "notification", "payload": ["notificationType": "NEW", "data": [:]]], ["do": "clearFaults"],
      ])
    stage.waitForNotifications(1)
    #expect(try stage.answer("1").status == 500)
    let deadline = MonotonicClock.milliseconds() + 10_000
    while try stage.list("scenarios").last?["step"]?.int64 != 5 {
      try #require(MonotonicClock.milliseconds() < deadline)
    }
    // One plays at a time.
    #expect(try stage.call(.post, "/simulator/v1/scenarios", ["steps": [["do": "clearFaults"]]]).status == 409)
    #expect(try stage.answer("1").status == 202)
    let run = try Self.end(stage)
    #expect(run["state"]?.string == "done" && run["step"]?.int64 == 9 && run["steps"]?.int64 == 9, "\(run)")
    let told = try stage.notifications()
    #expect(told.map(\.notificationType.rawValue) == ["CONSUMPTION_REQUEST", "REFUND", "REVOKE", "NEW"])
    #expect(told[1].signedDate >= told[0].signedDate + 60_000 && told[2].signedDate >= told[1].signedDate + 30_000)
    #expect(try stage.list("faults").isEmpty)
  }

  private static let began = MonotonicClock.milliseconds()

  @Test("ends at a step that fails, and says which and why") func failed() throws {
    let stage = try Stage { $0.clock = .system }
    try Self.play(
      stage,
      [
        ["do": "decision", "transactionId": "9", "decision": "REFUND"],
        ["do": "transaction", "transactionId": "1"],
      ])
    var run = try Self.end(stage)
    #expect(run["state"]?.string == "failed" && run["step"]?.int64 == 1)
    #expect(run["error"]?.string?.contains("no purchase 9") == true)
    #expect(try stage.list("notifications").isEmpty)
    try Self.play(stage, [["do": "awaitAnswer", "transactionId": "9", "withinMilliseconds": 1]])
    run = try Self.end(stage)
    #expect(run["error"]?.string?.contains("no answer about 9") == true)
  }

  @Test("does not take an answer to an earlier request for one to the newest") func earlierAnswer() throws {
    let stage = try Stage { $0.clock = .system }
    _ = try stage.call(.put, "/simulator/v1/transactions/1")
    #expect(try stage.answer("1").status == 202)
    try Self.play(
      stage,
      [
        ["do": "refundRequest", "transaction": "1"],
        ["do": "awaitAnswer", "transactionId": "1", "withinMilliseconds": 30],
      ])
    #expect(try Self.end(stage)["state"]?.string == "failed")
  }

  @Test("goes on where the receiver is not there, and ends when the simulator does") func noReceiver() throws {
    let stage = try Stage {
      $0.clock = .system
      $0.notificationURL = try? HTTPURL("http://127.0.0.1:1/")
      $0.scenarioFile = try? Self.read(
        #"{"steps":[{"do":"refundRequest","transaction":"1"},{"do":"clearFaults","afterMilliseconds":3600000}]}"#)
    }
    let deadline = MonotonicClock.milliseconds() + 10_000
    while try stage.list("notifications").isEmpty { try #require(MonotonicClock.milliseconds() < deadline) }
    #expect(try stage.list("scenarios").first?["state"]?.string == "playing")
    stage.simulator.stop()
  }
}

extension String {
  /// Every part between two texts.
  fileprivate func components(between start: String, and end: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let from = rest.firstRange(of: start) {
      rest = rest[from.upperBound...]
      guard let to = rest.firstRange(of: end) else { break }
      parts.append(String(rest[..<to.lowerBound]))
      rest = rest[to.upperBound...]
    }
    return parts
  }
}

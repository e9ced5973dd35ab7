import AppStore
import HTTPServer
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("The simulator's settings") struct SimulatorSettingsTests {
  @Test("have defaults that suit a receiver and a responder beside it") func defaults() throws {
    let settings = try load([:])
    #expect(settings.server.port == 8090 && settings.environment == .sandbox && settings.decide == .none)
    #expect(settings.notificationURL?.description == "http://127.0.0.1:8080/v1/notifications")
    let ofFlags = SimulatorService.flags.map(\.value)
    let known = SettingsReader.keys { SimulatorSettings($0) }.map(\.path)
    #expect(ofFlags.allSatisfy(known.contains))
  }

  @Test(
    "that cannot be are refused by their key",
    arguments: [
      ("ENVIRONMENT", "Xcode", "simulator.environment"), ("ENVIRONMENT", "Production", "simulator.appAppleId"),
      ("DECIDE", "REFUND_REVERSED", "simulator.decide"), ("PORT", "65536", "simulator.port"),
      ("NOTIFICATION_URL", "ftp://x", "simulator.notificationURL"),
      ("PRODUCTION_PORT", "8091", "simulator.appAppleId"), ("REDELIVERY", "always", "simulator.redelivery"),
      ("CALLS_PER_SECOND", "-1", "simulator.callsPerSecond"),
    ])
  func refused(variable: String, value: String, key: String) {
    let error = #expect(throws: SettingsError.self) { try load(["REFUNDLOG_SIMULATOR_\(variable)": value]) }
    #expect(error?.faults.count == 1 && error?.description.contains(key) == true)
  }

  @Test("take none for no notification URL") func none() throws {
    #expect(try load(["REFUNDLOG_SIMULATOR_NOTIFICATION_URL": "none"]).notificationURL == nil)
  }

  @Test("and the help name every fault, every scenario and every call") func help() throws {
    for fault in [
      "unauthenticated", "rateLimited", "serverError", "slow", "lostReply", "cut", "skewedDate", "duplicate", "hold",
      "drop", "delay", "error",
    ] {
      var order: JSONObject = ["fault": .string(fault)]
      if fault == "error" { order["status"] = 500 }
      #expect(try FaultOrder(order, number: 1).fault.name == fault)
      #expect(SimulatorService.about.contains(fault))
    }
    for word in Scenario.Word.allCases {
      #expect(SimulatorService.about.contains(word.rawValue))
      #expect(try load(["REFUNDLOG_SIMULATOR_DECIDE": word.rawValue]).decide == word)
    }
    for call in [
      "transactions/{id}", "refund-requests", "decisions", "events", "notifications", "answers", "faults", "calls",
      "orders/{id}",
      "scenarios",
    ] {
      #expect(SimulatorService.about.contains("  \(call)"))
    }
    for call in StoreCall.allCases { #expect(SimulatorService.about.contains(call.rawValue)) }
    for word in ScenarioStep.Word.allCases { #expect(SimulatorService.about.contains(word.rawValue)) }
    for error in StoreError.ofOurNumber { #expect(SimulatorService.about.contains("\(error.code!) \(error.name)")) }
    #expect(SimulatorService.about.split(separator: "\n").allSatisfy { $0.count <= 130 })
  }

  private func load(_ variables: [String: String]) throws -> SimulatorSettings {
    try SettingsReader.load(file: nil, environment: variables) { SimulatorSettings($0) }
  }
}

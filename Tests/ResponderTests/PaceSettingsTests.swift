import Service
import Testing

@testable import Responder

@Suite("The setting responder.pace") struct PaceSettingsTests {
  private func load(_ environment: [String: String]) throws -> CallPace {
    try SettingsReader.load(
      file: nil, environment: environment, ResponderSettings.init
    ).pace
  }

  @Test("is 80 percent of Apple's figures unless it is set") func standard() throws {
    #expect(try load([:]) == CallPace(consumptionPerSecond: 50, percent: 80))
    #expect(
      try load([
        "REFUNDLOG_RESPONDER_PACE_CONSUMPTION_PER_SECOND": "100", "REFUNDLOG_RESPONDER_PACE_PERCENT": "25",
      ]) == CallPace(consumptionPerSecond: 100, percent: 25))
  }

  @Test(
    "is refused where it means no calls at all, or more than all",
    arguments: [("PERCENT", "0"), ("PERCENT", "101"), ("CONSUMPTION_PER_SECOND", "9")])
  func refused(key: String, value: String) {
    #expect(throws: (any Error).self) { try load(["REFUNDLOG_RESPONDER_PACE_\(key)": value]) }
  }
}

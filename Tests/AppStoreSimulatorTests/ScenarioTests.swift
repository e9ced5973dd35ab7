import AppStore
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("A scenario", .timeLimit(.minutes(5))) struct ScenarioTests {
  private static let id = "2000000000000001"
  private static let minute: Int64 = 60_000

  /// A thousand times as fast as the machine's clock: a minute takes 60 milliseconds.
  private static func stage(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws -> Stage {
    try Stage { settings in
      settings.clock = .scaled(start: Stage.now, since: WallClock.system.now(), speed: 1000)
      settings.decideAfterMilliseconds = minute
      change(&settings)
    }
  }

  private static func ask(_ stage: Stage, _ members: JSONObject) throws {
    var call = members
    call.fill("transaction", .string(id))
    let reply = try stage.call(.post, "/simulator/v1/refund-requests", .object(call))
    #expect(reply.status == 200, "\(reply.json)")
  }

  @Test("plays a whole story in one call: request, answer, decline, second request, refund, reversal") func story()
    throws
  {
    let stage = try Self.stage()
    try Self.ask(
      stage,
      [
        "consumptionRequestReason": "LEGAL",
        "scenario": [
          "decide": "REFUND_DECLINED", "afterMilliseconds": .number(JSONNumber(10 * Self.minute)),
          "thenAfterMilliseconds": .number(JSONNumber(5 * Self.minute)),
          "then": [
            "decide": "REFUND_PRORATED", "revocationPercentage": 25_000,
            "afterMilliseconds": .number(JSONNumber(10 * Self.minute)),
            "reverseAfterMilliseconds": .number(JSONNumber(20 * Self.minute)),
          ],
        ],
      ])
    #expect(try stage.answer(Self.id).status == 202)
    stage.waitForNotifications(3)
    #expect(try stage.answer(Self.id).status == 202)
    stage.waitForNotifications(5)
    let told = try stage.notifications()
    #expect(
      told.map(\.notificationType) == [
        .consumptionRequest, .refundDeclined, .consumptionRequest, .refund, .refundReversed,
      ])
    #expect(Set(told.map(\.notificationUUID)).count == 5)
    #expect(told.allSatisfy { $0.transaction?.transactionId == Self.id })
    #expect(told[3].transaction?.revocationPercentage == 25_000 && told[4].transaction?.revocationDate == nil)
    let dates = told.map(\.signedDate)
    #expect(dates[1] >= dates[0] + 10 * Self.minute && dates[2] >= dates[1] + 5 * Self.minute)
    #expect(dates[3] >= dates[2] + 10 * Self.minute && dates[4] >= dates[3] + 20 * Self.minute)
    #expect(try stage.list("answers", "?transactionId=\(Self.id)").map { $0["status"]?.int64 } == [202, 202])
  }

  @Test(
    "by the sandbox's sheet goes by what was typed, whatever is answered",
    arguments: [
      ("OTHER", "DECLINE", "REFUND_DECLINED", nil), ("OTHER", "GRANT_PRORATED", "REFUND", "REFUND_PRORATED"),
      ("OTHER", "please", "REFUND", "REFUND_FULL"), ("LEGAL", "DECLINE", "REFUND", "REFUND_FULL"),
    ] as [(String, String, String, String?)])
  func sheet(reason: String, typed: String, type: String, revocation: String?) throws {
    let stage = try Self.stage()
    try Self.ask(stage, ["consumptionRequestReason": .string(reason), "typed": .string(typed)])
    // It comes without any answer, and an answer does not move it.
    #expect(try stage.answer(Self.id).status == 202)
    stage.waitForNotifications(2)
    let told = try stage.notifications()
    #expect(told[1].notificationType.rawValue == type)
    #expect(told[1].transaction?.revocationType?.rawValue == revocation)
    #expect(told[1].signedDate >= told[0].signedDate + Self.minute)
  }

  @Test("by the sheet takes what was typed for typed under Other") func typed() throws {
    let stage = try Self.stage()
    try Self.ask(stage, ["typed": "DECLINE"])
    stage.waitForNotifications(2)
    let told = try stage.notifications()
    #expect(told[0].payload.data?.consumptionRequestReason == .other)
    #expect(told[1].notificationType == .refundDeclined)
  }

  @Test("switches renewal off some time after a request about a subscription") func renewalOff() throws {
    let stage = try Self.stage { $0.renewalOffAfterMilliseconds = 30_000 }
    try Self.ask(
      stage, ["transaction": ["transactionId": .string(Self.id), "type": "Auto-Renewable Subscription"]])
    stage.waitForNotifications(2)
    let told = try stage.notifications()
    #expect(told[0].renewalInfo?.autoRenewStatus == .on)
    #expect(told[1].notificationType == .didChangeRenewalStatus && told[1].payload.subtype == .autoRenewDisabled)
    #expect(told[1].renewalInfo?.autoRenewStatus == .off)
    #expect(told[1].signedDate >= told[0].signedDate + 30_000)
  }

  @Test("asks again under a UUID of its own while a request is open") func repetition() throws {
    let stage = try Self.stage { $0.repeatAfterMilliseconds = 2 * Self.minute }
    try Self.ask(stage, ["consumptionRequestReason": "OTHER"])
    stage.waitForNotifications(2)
    let told = try stage.notifications()
    #expect(told.map(\.notificationType) == [.consumptionRequest, .consumptionRequest])
    #expect(told[0].notificationUUID != told[1].notificationUUID)
    #expect(told[1].payload.data?.consumptionRequestReason == .other)
  }

  @Test("does not ask again about what is decided") func noRepetition() throws {
    let stage = try Self.stage { $0.repeatAfterMilliseconds = 5 * Self.minute }
    try Self.ask(stage, ["scenario": ["decide": "REFUND_DECLINED", "unansweredAfterMilliseconds": 0]])
    let asked = try #require(try stage.list("notifications").first?["postedAt"]?.int64)
    stage.waitForNotifications(2)
    // What is posted last by hand comes after whatever was due before it.
    while stage.simulator.settings.clock.now() < asked + 6 * Self.minute {}
    _ = try stage.call(
      .post, "/simulator/v1/events", ["notificationType": "ONE_TIME_CHARGE", "transaction": .string(Self.id)])
    #expect(
      try stage.notifications().map(\.notificationType) == [.consumptionRequest, .refundDeclined, .oneTimeCharge])
  }

  @Test("of the settings holds where a call names none") func ofSettings() throws {
    let stage = try Self.stage {
      $0.decide = .reversed
      $0.reverseAfterMilliseconds = Self.minute
      $0.decideUnansweredAfterMilliseconds = 0
    }
    try Self.ask(stage, [:])
    stage.waitForNotifications(3)
    #expect(
      try stage.notifications().map(\.notificationType) == [.consumptionRequest, .refund, .refundReversed])
  }

  @Test(
    "that cannot be is refused with a sentence",
    arguments: [
      (#"{"scenario":"GRANT"}"#, "REFUND_THEN_REVERSED"), (#"{"scenario":7}"#, "neither a word"),
      (#"{"scenario":{"decide":"refund"}}"#, "decide"), (#"{"scenario":{"after":1}}"#, "not known here"),
      (#"{"scenario":{"decide":"SHEET","revocationPercentage":1}}"#, "refund alone"),
      (#"{"scenario":"REFUND","typed":"DECLINE"}"#, "SHEET"), (#"{"typed":7}"#, "typed"),
      (#"{"scenario":{"afterMilliseconds":-1}}"#, "afterMilliseconds"),
    ])
  func refused(body: String, words: String) throws {
    let stage = try Stage()
    let reply = try stage.call(.post, "/simulator/v1/refund-requests", bytes: Array(body.utf8))
    #expect(reply.status == 400 && reply.json["error"]?.string?.contains(words) == true, "\(reply)")
    #expect(stage.receptions == 0)
  }

  @Test("has so many requests at most") func depth() throws {
    func nested(_ count: Int) -> JSONValue { count == 1 ? "REFUND" : ["then": nested(count - 1)] }
    _ = try Scenario(nested(Scenario.requestsMax), over: Scenario())
    #expect(throws: ControlError.self) { try Scenario(nested(Scenario.requestsMax + 1), over: Scenario()) }
  }
}

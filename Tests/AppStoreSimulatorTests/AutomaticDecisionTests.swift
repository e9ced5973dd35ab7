import AppStore
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("An automatic decision", .timeLimit(.minutes(5))) struct AutomaticDecisionTests {
  private static let id = "2000000000000001"
  private static let good = #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#

  /// - Parameter speed: half a second of this clock is five milliseconds.
  private static func stage(
    after: Int64 = 500, unanswered: Int64? = nil, decide: Scenario.Word = .declined
  ) throws -> Stage {
    try Stage { settings in
      settings.clock = .scaled(start: Stage.now, since: WallClock.system.now(), speed: 100)
      settings.decide = decide
      settings.decideAfterMilliseconds = after
      settings.decideUnansweredAfterMilliseconds = unanswered
    }
  }

  /// Everything posted about the purchase until now: what is posted by hand comes after whatever was due before.
  private static func types(_ stage: Stage) throws -> [String] {
    let mark: JSONValue = ["notificationType": "ONE_TIME_CHARGE", "transaction": .string(Self.id)]
    #expect(try stage.call(.post, "/simulator/v1/events", mark).status == 200)
    return try stage.notifications().map(\.notificationType.rawValue).filter { $0 != "ONE_TIME_CHARGE" }
  }

  @Test("follows an answer after the set time") func afterAnswer() throws {
    let stage = try Self.stage()
    #expect(try stage.call(.put, "/simulator/v1/transactions/\(Self.id)").status == 201)
    #expect(try stage.answer(Self.id, Self.good).status == 202)
    stage.waitForNotifications(1)
    #expect(try Self.types(stage) == ["REFUND_DECLINED"])
    #expect(try stage.notifications()[0].signedDate >= Stage.now + 500)
  }

  @Test("is made once, however the further answers come") func once() throws {
    let stage = try Self.stage(after: 0)
    _ = try stage.call(.put, "/simulator/v1/transactions/\(Self.id)")
    #expect(try stage.answer(Self.id, Self.good).status == 202)
    stage.waitForNotifications(1)
    // The decision is out by now; it is not made again.
    for _ in 0..<3 { #expect(try stage.answer(Self.id, Self.good).status == 202) }
    #expect(try Self.types(stage) == ["REFUND_DECLINED"])
  }

  @Test("is made for each request anew") func eachRequest() throws {
    let stage = try Self.stage(after: 0)
    for count in [2, 4] {
      #expect(
        try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": .string(Self.id)]).status == 200)
      #expect(try stage.answer(Self.id, Self.good).status == 202)
      stage.waitForNotifications(count)
    }
    #expect(
      try Self.types(stage) == ["CONSUMPTION_REQUEST", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "REFUND_DECLINED"])
  }

  @Test("follows a request that got no answer, where that is set") func unanswered() throws {
    let stage = try Self.stage(unanswered: 1000, decide: .refund)
    _ = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": .string(Self.id)])
    stage.waitForNotifications(2)
    #expect(try Self.types(stage) == ["CONSUMPTION_REQUEST", "REFUND"])
    let all = try stage.notifications()
    #expect(all[1].signedDate >= all[0].signedDate + 1000)
    // Too late for anything but the acceptance itself.
    #expect(try stage.answer(Self.id, Self.good).status == 202)
    #expect(try Self.types(stage) == ["CONSUMPTION_REQUEST", "REFUND"])
  }

  @Test("also follows a request that was posted as a whole payload") func rawRequest() throws {
    let stage = try Self.stage(unanswered: 0)
    _ = try stage.call(
      .post, "/simulator/v1/notifications",
      [
        "notificationType": "CONSUMPTION_REQUEST",
        "data": [
          "signedTransactionInfo": [
            "transactionId": .string(Self.id), "bundleId": "com.example.app", "environment": "Sandbox",
          ]
        ],
      ])
    stage.waitForNotifications(2)
    #expect(try Self.types(stage) == ["CONSUMPTION_REQUEST", "REFUND_DECLINED"])
  }

  @Test("gives way to one that is made by hand") func byHand() throws {
    // An hour and longer: neither comes while this runs.
    let stage = try Self.stage(after: 3_600_000, unanswered: 7_200_000)
    _ = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": .string(Self.id)])
    #expect(try stage.answer(Self.id, Self.good).status == 202)
    let decided = try stage.call(
      .post, "/simulator/v1/decisions", ["transactionId": .string(Self.id), "decision": "REFUND"])
    #expect(decided.status == 200)
    #expect(try Self.types(stage) == ["CONSUMPTION_REQUEST", "REFUND"])
  }

  @Test("is planned by the first answer, and by nothing once it is made") func plans() throws {
    var book = Book()
    let app = StoreApp(bundleId: "com.example.app", appAppleId: nil, environment: .sandbox)
    _ = book.register(try PurchaseTemplate(app: app).purchase(Self.id, given: [:], now: Stage.now))
    var timed = Scenario()
    timed.decided = .by(Decision(.declined))
    var untimed = timed
    timed.unansweredAfterMilliseconds = 1
    untimed.unansweredAfterMilliseconds = nil
    let unanswered = book.openRequest(Self.id, timed) ?? -1
    let answered = book.planDecision(Self.id) ?? -1
    let result1 = book.planDecision(Self.id)
    #expect(result1 == nil)
    let result2 = book.decide(Decision(.declined), on: Self.id, plan: unanswered, now: 0)
    #expect(result2 == nil)
    let result3 = book.decide(Decision(.declined), on: Self.id, plan: answered, now: 0)
    #expect(result3 != nil)
    let result4 = book.decide(Decision(.declined), on: Self.id, plan: answered, now: 0)
    #expect(result4 == nil)
    let result5 = book.planDecision(Self.id)
    #expect(result5 == nil)
    let result6 = book.openRequest(Self.id, untimed)
    #expect(result6 == nil)
    let result7 = book.planDecision(Self.id)
    #expect(result7 != nil)
    let result8 = book.openRequest("2000000000000002", timed)
    #expect(result8 == nil)
    // By the sheet: whatever is answered.
    var sheet = Scenario()
    sheet.decided = .bySheet
    let result9 = book.openRequest(Self.id, sheet)
    #expect(result9 != nil)
    let result10 = book.planDecision(Self.id)
    #expect(result10 == nil)
  }
}

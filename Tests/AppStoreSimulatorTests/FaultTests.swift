import AppStore
import HTTPClient
import HTTPServer
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("A fault on order", .timeLimit(.minutes(5))) struct FaultTests {
  private static let faults = "/simulator/v1/faults"

  /// A stage that knows the purchases 1 and 2.
  private static func stage(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws -> Stage {
    let stage = try Stage(change)
    for id in ["1", "2"] { _ = try stage.call(.put, "/simulator/v1/transactions/\(id)") }
    return stage
  }

  private static func order(_ stage: Stage, _ members: JSONObject) throws {
    let reply = try stage.call(.post, faults, .object(members))
    #expect(reply.status == 201, "\(reply.json)")
  }

  // MARK: Answers

  @Test("of an answer is a reply of Apple's, so often as ordered, and for the purchase that was named") func replies()
    throws
  {
    let stage = try Self.stage()
    try Self.order(stage, ["fault": "unauthenticated", "transactionId": "1", "times": 2])
    try Self.order(stage, ["fault": "serverError"])
    #expect(try stage.answer("2").status == 500)
    #expect(try stage.answer("1").status == 401)
    #expect(try stage.answer("2").status == 202)
    #expect(try stage.answer("1").status == 401)
    #expect(try stage.answer("1").status == 202)
    let answers = try stage.list("answers")
    #expect(answers.map { $0["status"]?.int64 } == [500, 401, 202, 401, 202])
    #expect(
      answers.map { $0["faults"]?.array?.first?.string } == [
        "serverError", "unauthenticated", nil, "unauthenticated", nil,
      ])
    #expect(answers[0]["errorCode"]?.int64 == 5_000_000)
    let orders = try stage.list("faults")
    #expect(orders.map { $0["timesLeft"]?.int64 } == [0, 0] && orders.map { $0["applied"]?.int64 } == [2, 1])
  }

  @Test(
    "of 429 writes Retry-After in each form, also in the past",
    arguments: [
      ([:], "\(Stage.now + 60_000)"), (["aheadMilliseconds": -5000], "\(Stage.now - 5000)"),
      (["form": "secondsSince1970", "aheadMilliseconds": 90_000], "\(Stage.now / 1000 + 90)"),
      (["form": "secondsFromNow", "aheadMilliseconds": 90_000], "90"),
    ] as [(JSONObject, String)])
  func retryAfter(members: JSONObject, value: String) throws {
    let stage = try Self.stage()
    var order = members
    order["fault"] = "rateLimited"
    try Self.order(stage, order)
    let reply = try stage.answer("1")
    #expect(reply.status == 429 && reply.fields["Retry-After"] == value)
    #expect(try JSONValue(bytes: reply.body)["errorCode"]?.int64 == 4_290_000)
  }

  @Test("loses the reply of an answer that was taken") func lostReply() throws {
    let stage = try Self.stage {
      $0.decide = .declined
      $0.decideAfterMilliseconds = 0
    }
    try Self.order(stage, ["fault": "lostReply"])
    let error = #expect(throws: HTTPClientError.self) { try stage.answer("1") }
    guard case .unknown = error else {
      Issue.record("whether Apple has it must be unknown, it is \(error.debugDescription)")
      return
    }
    let answer = try #require(try stage.list("answers").first)
    #expect(answer["status"]?.int64 == 202 && answer["body"]?.string == Stage.good)
    #expect(answer["faults"]?.array == ["lostReply"])
    // Apple has it, so the decision follows.
    stage.waitForNotifications(1)
    #expect(try stage.notifications()[0].notificationType == .refundDeclined)
  }

  @Test("cuts a call off before it is looked at") func cut() throws {
    let stage = try Self.stage()
    try Self.order(stage, ["fault": "cut"])
    #expect(throws: HTTPClientError.self) { try stage.answer("1") }
    let answer = try #require(try stage.list("answers").first)
    #expect(answer["status"] == nil && answer["faults"]?.array == ["cut"])
  }

  @Test("makes a reply late, and its Date wrong, together with another") func together() throws {
    let stage = try Self.stage()
    try Self.order(stage, ["fault": "slow", "milliseconds": 150])
    try Self.order(stage, ["fault": "skewedDate", "milliseconds": -90_000])
    try Self.order(stage, ["fault": "serverError"])
    let began = MonotonicClock.milliseconds()
    let reply = try stage.answer("1")
    #expect(MonotonicClock.milliseconds() - began >= 150)
    #expect(reply.status == 500 && reply.fields["Date"] == HTTPDate.text(milliseconds: Stage.now - 90_000))
    #expect(try stage.answer("1").fields["Date"] == HTTPDate.text(milliseconds: Stage.now))
    #expect(try stage.list("answers")[0]["faults"]?.array == ["slow", "skewedDate", "serverError"])
  }

  @Test("that makes a reply late gives it at once when the simulator stops") func stopping() throws {
    let late = LateReplies()
    let given = Monitor(0)
    #expect(late.add(after: 3_600_000) { given.change { $0 += 1 } })
    late.stop()
    #expect(given.withLock { $0 } == 1)
    #expect(!late.add(after: 0) {})
    late.stop()
  }

  // MARK: Deliveries

  @Test(
    "delivers copies, one after the other or at the same instant", arguments: [(2, false), (10, true), (100, true)])
  func duplicates(copies: Int, together: Bool) throws {
    let stage = try Self.stage()
    try Self.order(
      stage, ["fault": "duplicate", "copies": .number(JSONNumber(Int64(copies))), "together": .bool(together)])
    let reply = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
    #expect(reply.status == 200 && reply.json["sendAttempts"]?.array?.count == copies)
    let told = try stage.notifications()
    #expect(told.count == copies && Set(told.map(\.notificationUUID)).count == 1)
    #expect(reply.json["sendAttempts"]?.array?.allSatisfy { $0["faults"]?.array == ["duplicate"] } == true)
  }

  @Test("keeps a notification back until another was sent") func reorder() throws {
    let stage = try Self.stage()
    try Self.order(stage, ["fault": "hold", "notificationType": "CONSUMPTION_REQUEST"])
    let held = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
    #expect(held.status == 202 && held.json["faults"]?.array == ["hold"] && stage.receptions == 0)
    _ = try stage.call(.post, "/simulator/v1/decisions", ["transactionId": "1", "decision": "REFUND"])
    stage.waitForNotifications(2)
    #expect(try stage.notifications().map(\.notificationType) == [.refund, .consumptionRequest])
  }

  @Test("that keeps something back lets it go when it is taken off order") func release() throws {
    let stage = try Self.stage()
    try Self.order(stage, ["fault": "hold", "times": 5])
    for _ in 0..<2 { _ = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"]) }
    #expect(stage.receptions == 0)
    #expect(try stage.call(.delete, Self.faults).json["removed"]?.int64 == 1)
    stage.waitForNotifications(2)
    #expect(try stage.list("faults").isEmpty)
  }

  @Test("loses an attempt, which comes again where the schedule has another") func drop() throws {
    let stage = try Self.stage {
      $0.clock = .scaled(start: Stage.now, since: WallClock.system.now(), speed: 100_000)
      $0.redelivery = .production
    }
    try Self.order(stage, ["fault": "drop"])
    let reply = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
    #expect(reply.status == 502 && reply.json["sendAttempts"]?.array?.count == 1)
    #expect(reply.json["sendAttempts"]?.array?[0]["sendAttemptResult"]?.string == "NO_RESPONSE")
    stage.waitForNotifications(1)
    #expect(try stage.notifications()[0].notificationUUID == reply.json["notificationUUID"]?.string)
  }

  @Test("delays a notification by the set clock") func delay() throws {
    let stage = try Self.stage {
      $0.clock = .scaled(start: Stage.now, since: WallClock.system.now(), speed: 10_000)
    }
    try Self.order(stage, ["fault": "delay", "milliseconds": 3_600_000])
    let reply = try stage.call(.post, "/simulator/v1/refund-requests", ["transaction": "1"])
    #expect(reply.status == 202)
    let due = try #require(reply.json["nextAttemptDate"]?.int64)
    #expect(due >= Stage.now + 3_600_000)
    stage.waitForNotifications(1)
    #expect(stage.simulator.settings.clock.now() >= due)
  }

  // MARK: Orders

  @Test(
    "that cannot be is refused with a sentence",
    arguments: [
      (#"{"fault":"fire"}"#, "not one of"), (#"{"fault":"slow","copies":2}"#, "not known here"),
      (#"{"fault":"slow","times":0}"#, "times"), (#"{"fault":"duplicate","copies":101}"#, "copies"),
      (#"{"fault":"cut","notificationType":"REFUND"}"#, "deliveries"),
      (#"{"fault":"rateLimited","form":"date"}"#, "secondsFromNow"),
    ])
  func refused(body: String, words: String) throws {
    let stage = try Self.stage()
    let reply = try stage.call(.post, Self.faults, bytes: Array(body.utf8))
    #expect(reply.status == 400 && reply.json["error"]?.string?.contains(words) == true, "\(reply)")
  }

  @Test("is taken off order by its number, and there are so many at most") func orders() throws {
    let stage = try Self.stage()
    let made = try stage.call(.post, Self.faults, ["fault": "cut"])
    let id = try #require(made.json["id"]?.int64)
    #expect(try stage.call(.delete, "\(Self.faults)/\(id)").status == 200)
    #expect(try stage.call(.delete, "\(Self.faults)/\(id)").status == 404)
    #expect(try stage.answer("1").status == 202)

    let book = FaultBook()
    for number in 0..<FaultBook.ordersMax { try book.add(FaultOrder(["fault": "cut"], number: number)) }
    #expect(throws: ControlError.self) { try book.add(FaultOrder(["fault": "cut"], number: -1)) }
    // One that has run out makes room.
    #expect(book.take(.answer, transactionId: "1") == [.cut])
    try book.add(FaultOrder(["fault": "cut"], number: -1))
    #expect(book.orders().count == FaultBook.ordersMax)
  }
}

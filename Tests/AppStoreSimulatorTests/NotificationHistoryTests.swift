import AppStore
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("The history of notifications", .timeLimit(.minutes(5))) struct NotificationHistoryTests {
  private static let day: Int64 = 86_400_000

  private static func stage(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws -> Stage {
    try Stage { settings in
      settings.callsPerSecond = 0
      change(&settings)
    }
  }

  private static func tell(_ stage: Stage, _ type: String, _ transaction: String? = nil) throws {
    var event: JSONObject = ["notificationType": .string(type)]
    event["transaction"] = transaction.map(JSONValue.string)
    _ = try stage.call(.post, "/simulator/v1/events", .object(event))
  }

  private static func question(
    _ subject: NotificationHistoryCall.Subject = .all, onlyFailures: Bool = false, from: Int64 = Stage.now - 1000,
    to: Int64 = Stage.now + 1000
  ) throws -> NotificationHistoryCall {
    try NotificationHistoryCall(startDate: from, endDate: to, subject: subject, onlyFailures: onlyFailures)
  }

  private static func failure<Value>(_ reply: AppStoreReply<Value>) -> AppStoreFailure? {
    if case .failure(let failure) = reply.result { failure } else { nil }
  }

  private static func types(_ page: NotificationHistoryCall.Page, _ stage: Stage) throws -> [NotificationType] {
    try page.entries.map { try stage.verifier.verifyNotification(Array($0.signedPayload.utf8)[...]).notificationType }
  }

  @Test("holds the very token that was posted, with every attempt in Apple's words") func whole() throws {
    let stage = try Self.stage()
    stage.receiverReplies(503)
    try Self.tell(stage, "CONSUMPTION_REQUEST", "1")
    stage.receiverReplies(200)
    try Self.tell(stage, "DID_RENEW", "2")
    let page = try stage.store(Self.question()).result.get()
    #expect(!page.hasMore && page.paginationToken == nil)
    #expect(
      page.entries.map(\.sendAttempts) == [
        [SendAttempt(date: Stage.now, result: .unsuccessfulHttpResponseCode)],
        [SendAttempt(date: Stage.now, result: .success)],
      ])
    #expect(try Self.types(page, stage) == [.consumptionRequest, .didRenew])
    let records = try stage.list("notifications")
    for (entry, record) in zip(page.entries, records) {
      let uuid = try #require(record["notificationUUID"]?.string)
      let body = try stage.call(.get, "/simulator/v1/notifications/\(uuid)/body").json
      #expect(body["signedPayload"]?.string == entry.signedPayload)
    }
  }

  @Test("is told by type, by customer, and by what went wrong") func filters() throws {
    let stage = try Self.stage()
    for (id, customer) in [("1", "71"), ("2", "71"), ("3", "73")] {
      _ = try stage.call(.put, "/simulator/v1/transactions/\(id)", ["appTransactionId": .string(customer)])
    }
    try Self.tell(stage, "ONE_TIME_CHARGE", "1")
    stage.receiverReplies(500)
    try Self.tell(stage, "REFUND", "2")
    stage.receiverReplies(200)
    try Self.tell(stage, "REFUND_DECLINED", "3")
    try Self.tell(stage, "TEST")
    func told(_ question: NotificationHistoryCall) throws -> [NotificationType] {
      try Self.types(stage.store(question).result.get(), stage)
    }
    #expect(try told(Self.question()) == [.oneTimeCharge, .refund, .refundDeclined, .test])
    #expect(try told(Self.question(.type(.refund))) == [.refund])
    #expect(try told(Self.question(.type(.refund, .seats))) == [])
    #expect(try told(Self.question(.transaction("1"))) == [.oneTimeCharge, .refund])
    #expect(try told(Self.question(.transaction("3"))) == [.refundDeclined])
    #expect(try told(Self.question(onlyFailures: true)) == [.refund])
    #expect(try told(Self.question(to: Stage.now - 1)) == [])
    #expect(try told(Self.question(from: Stage.now + 1)) == [])
    #expect(Self.failure(try stage.store(Self.question(.transaction("9"))))?.errorCode == 4_040_010)
  }

  @Test("keeps what failed among the failures although a later attempt succeeded") func failures() throws {
    let clock = SetClock()
    let stage = try Self.stage {
      $0.clock = clock.wall
      $0.redelivery = .production
    }
    stage.receiverReplies(503)
    try Self.tell(stage, "REFUND", "1")
    stage.receiverReplies(200)
    clock.set(Stage.now + 3_600_000)
    stage.waitForNotifications(2)
    let deadline = MonotonicClock.milliseconds() + 20_000
    while MonotonicClock.milliseconds() < deadline {
      let page = try stage.store(Self.question(onlyFailures: true, to: Stage.now + 3_600_000)).result.get()
      if page.entries.first?.sendAttempts.count == 2 {
        #expect(page.entries[0].sendAttempts.map(\.result) == [.unsuccessfulHttpResponseCode, .success])
        return
      }
    }
    Issue.record("the second attempt is not told")
  }

  @Test("does not hold what was never tried") func untried() throws {
    let stage = try Self.stage { $0.notificationURL = nil }
    try Self.tell(stage, "REFUND", "1")
    #expect(try stage.store(Self.question()).result.get().count == 0)
  }

  @Test("comes twenty on a page, by a token that is good for the same question alone, and not for ever") func pages()
    throws
  {
    let clock = SetClock()
    let stage = try Self.stage { $0.clock = clock.wall }
    for number in 1...41 {
      try Self.tell(stage, number % 2 == 0 ? "REFUND_DECLINED" : "TEST", number % 2 == 0 ? "1" : nil)
    }
    var paging = AppStorePaging(try Self.question())
    var count = 0
    var token: String?
    while let call = paging.next {
      let page = try stage.store(call).result.get()
      count += page.count
      token = page.paginationToken ?? token
      paging.took(page)
    }
    #expect(count == 41 && paging.end == .all)
    let other = try NotificationHistoryCall(
      startDate: Stage.now - 1000, endDate: Stage.now + 1000, subject: .type(.test), page: token)
    #expect(Self.failure(try stage.store(other))?.errorCode == 4_000_014)
    #expect(Self.failure(try stage.store(Self.question().at(page: "x")))?.errorCode == 4_000_014)
    clock.set(Stage.now + Self.day)
    let expired = try #require(Self.failure(try stage.store(Self.question().at(page: token))))
    #expect(expired.errorCode == 4_000_017 && expired.kind == .fixAndSend(.startAgain))
  }

  @Test("goes back 30 days in the sandbox and 180 in Production") func windows() throws {
    let stage = try Self.stage {
      $0.appAppleId = 7
      $0.productionPort = 0
    }
    for (environment, days) in [(ServerEnvironment.sandbox, 30), (.production, 180)] as [(ServerEnvironment, Int64)] {
      let port = environment == .sandbox ? stage.port : stage.productionPort
      let border = Stage.now - days * Self.day
      #expect(NotificationHistoryCall.windowMilliseconds(in: environment) == days * Self.day)
      _ = try stage.store(Self.question(from: border), environment, port: port).result.get()
      let failure = Self.failure(try stage.store(Self.question(from: border - 1), environment, port: port))
      #expect(failure?.errorCode == 4_000_012 && failure?.kind == .fixAndSend(.beginLater))
    }
  }

  @Test(
    "refuses questions that are none, with Apple's numbers",
    arguments: [
      (#"{"endDate":\#(Stage.now)}"#, 4_000_015), (#"{"startDate":"x","endDate":1}"#, 4_000_015),
      (#"{"startDate":\#(Stage.now)}"#, 4_000_016), (#"{"startDate":\#(Stage.now),"endDate":1}"#, 4_000_013),
      (#"{"startDate":\#(Stage.now),"endDate":\#(Stage.now),"notificationType":"GIFT"}"#, 4_000_018),
      (#"{"startDate":\#(Stage.now),"endDate":\#(Stage.now),"notificationSubtype":"SEATS"}"#, 4_000_018),
      (
        #"{"startDate":\#(Stage.now),"endDate":\#(Stage.now),"notificationType":"TEST","notificationSubtype":"SEATS"}"#,
        4_000_018
      ),
      (
        #"{"startDate":\#(Stage.now),"endDate":\#(Stage.now),"notificationType":"TEST","transactionId":"1"}"#,
        4_000_019
      ),
      (#"{"startDate":\#(Stage.now),"endDate":\#(Stage.now),"transactionId":"a b"}"#, 4_000_006), ("[]", nil),
    ] as [(String, Int64?)])
  func wrongQuestions(body: String, code: Int64?) throws {
    let stage = try Self.stage()
    #expect(try stage.code(.post, "/inApps/v1/notifications/history", body) == code)
  }

  // MARK: Test notifications

  @Test("has a test notification, whose status is not known right after the request") func test() throws {
    let stage = try Self.stage()
    let token = try stage.store(TestNotificationCall()).result.get()
    let status = try TestNotificationStatusCall(token: token)
    #expect(Self.failure(try stage.store(status))?.kind == .refused(.notYet))
    stage.waitForNotifications(1)
    #expect(try stage.notifications()[0].notificationType == .test)
    let deadline = MonotonicClock.milliseconds() + 20_000
    while true {
      let reply = try stage.store(status)
      if case .success(let told) = reply.result {
        #expect(told.sendAttempts.map(\.result) == [.success] && told.firstSendAttemptResult == .success)
        let notification = try stage.verifier.verifyNotification(Array(told.signedPayload.utf8)[...])
        #expect(notification.notificationUUID == (try stage.notifications()[0].notificationUUID))
        break
      }
      try #require(Self.failure(reply)?.kind == .refused(.notYet))
      try #require(MonotonicClock.milliseconds() < deadline)
    }
  }

  @Test("has no test notification where there is nowhere to post it, or the token is none") func noTest() throws {
    let stage = try Self.stage { $0.notificationURL = nil }
    #expect(Self.failure(try stage.store(TestNotificationCall()))?.errorCode == 4_040_007)
    #expect(Self.failure(try stage.store(TestNotificationStatusCall(token: "x")))?.errorCode == 4_000_020)
    let unknown = try TestNotificationStatusCall(token: "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10")
    #expect(Self.failure(try stage.store(unknown))?.errorCode == 4_040_008)
  }
}

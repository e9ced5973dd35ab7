import AppStore
import HTTPTypes
import JSON
import Service
import Testing

@testable import AppStoreSimulator

@Suite("The rate limit") struct RateLimitTests {
  @Test("counts a sliding second, for each app and environment") func sliding() {
    let clock = Monitor<Int64>(0)
    let limit = RateLimit(2) { clock.withLock { $0 } }
    func wait(
      _ at: Int64, _ app: String = "a", _ environment: ServerEnvironment = .sandbox, _ call: StoreCall = .consumption
    ) -> Int64? {
      clock.withLock { $0 = at }
      return limit.wait(app: app, call, environment)
    }
    #expect(wait(0) == nil)
    #expect(wait(400) == nil)
    #expect(wait(999) == 1)
    #expect(wait(999, "b") == nil)
    #expect(wait(999, "a", .production) == nil)
    #expect(wait(999, "a", .sandbox, .transactionInfo) == nil)
    // What was refused does not count.
    #expect(wait(1000) == nil)
    #expect(wait(1001) == 399)
    #expect(wait(1400) == nil)
  }

  @Test("is Apple's where nothing is said, and can be switched off") func figures() {
    let apple = RateLimit(nil)
    #expect(apple.rate(of: .consumption, in: .production) == RateLimit.Rate(calls: 50))
    #expect(apple.rate(of: .consumption, in: .sandbox) == RateLimit.Rate(calls: 5))
    #expect(apple.rate(of: .refundHistory, in: .sandbox) == RateLimit.Rate(calls: 1))
    #expect(apple.rate(of: .testNotification, in: .production) == RateLimit.Rate(calls: 1))
    #expect(apple.rate(of: .testNotification, in: .sandbox) == RateLimit.Rate(calls: 1, milliseconds: 10_000))
    #expect(RateLimit(7).rate(of: .refundHistory, in: .sandbox) == RateLimit.Rate(calls: 7))
    let off = RateLimit(0) { 0 }
    #expect((0..<1000).allSatisfy { _ in off.wait(app: "a", .consumption, .production) == nil })
  }

  @Test("is answered 429 with the instant to come again") func answered() throws {
    let stage = try Stage { $0.callsPerSecond = 1 }
    _ = try stage.call(.put, "/simulator/v1/transactions/1")
    // A second of the machine may pass between two of them, not between every two.
    let replies = try (0..<5).map { _ in try stage.answer("1") }
    let limited = try #require(replies.first { $0.status == 429 })
    #expect(try JSONValue(bytes: limited.body)["errorCode"]?.int64 == 4_290_000)
    let instant = try #require(limited.fields["Retry-After"].flatMap { Int64($0) })
    #expect((Stage.now + 1...Stage.now + 1000).contains(instant))
    // A token that is not good is not counted.
    #expect(try stage.answer("1", authorization: "Bearer x").status == 401)
    let answers = try stage.list("answers")
    #expect(answers.contains { $0["errorName"]?.string == "RateLimitExceededError" && $0["status"]?.int64 == 429 })
  }
}

import Contracts
import Testing

@testable import Responder

@Suite("Questions for Apple's time") struct TimeQuestionsTests {
  private static let key = try! PurchaseKey(environment: "Production", transactionID: "1")
  private static let patience = TimeQuestions.patienceMilliseconds

  @Test("are asked while there is a reason, less often each time") func pauses() {
    var questions = TimeQuestions()
    #expect(questions.isDue(isWanted: false, now: 0) == false)
    #expect(questions.wait(isWanted: false, now: 0) == nil)
    var now: Int64 = 0
    for pause in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] {
      #expect(questions.isDue(isWanted: true, now: now) == true)
      #expect(questions.wait(isWanted: true, now: now) == 0)
      questions.asked(now: now)
      #expect(questions.wait(isWanted: true, now: now + 100) == Int64(pause) - 100)
      #expect(questions.isDue(isWanted: true, now: now + Int64(pause) - 1) == false)
      now += Int64(pause)
    }
    #expect(questions.isDue(isWanted: false, now: now) == false)
    #expect(questions.isDue(isWanted: true, now: now) == true, "a new reason is asked for at once")
  }

  @Test("hold what would end until there is an answer") func answered() {
    var questions = TimeQuestions()
    #expect(questions.holds(isAnswered: false, now: 0))
    #expect(!questions.holds(isAnswered: true, now: 0))
    questions.hold(Self.key, now: 100)
    #expect(questions.isDue(isWanted: false, now: 100) == true)
    #expect(questions.released(isAnswered: false, now: 200) == [])
    #expect(questions.released(isAnswered: true, now: 200) == [Self.key])
    #expect(questions.released(isAnswered: true, now: 200) == [])
    #expect(!questions.isHolding)
  }

  @Test("hold nothing longer than their patience, from the first that was held") func patience() {
    var questions = TimeQuestions()
    questions.hold(Self.key, now: 100)
    let other = try! PurchaseKey(environment: "Production", transactionID: "2")
    questions.hold(other, now: 5_000)
    #expect(questions.released(isAnswered: false, now: 100 + Self.patience - 1) == [])
    #expect(questions.released(isAnswered: false, now: 100 + Self.patience) == [Self.key, other])
    #expect(!questions.holds(isAnswered: false, now: 100 + Self.patience))
  }
}

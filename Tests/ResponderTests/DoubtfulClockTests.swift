import Contracts
import Testing

@testable import Responder

@Suite("While the clock is doubtful") struct DoubtfulClockTests {
  private static let start = Story.start
  private static let hour = Story.hour

  private func doubtful(_ story: Story, at now: Int64) throws -> Step {
    var judge = try story.judge(at: now)
    judge.isClockDoubtful = true
    return judge.next()
  }

  @Test("no request ends for the time, whatever it waited for", arguments: [0, 1, 2, 3]) func held(way: Int) throws {
    let story = Story()
    try story.policy()
    if way > 0 { try story.consent(true) }
    if way > 1 { try story.evidence(Story.facts) }
    let isStale = way == 3
    try story.request(
      signedAt: isStale ? Self.start - 7 * 24 * Self.hour : Self.start, receivedAt: Self.start)
    let now = isStale ? Self.start : Self.start + 12 * Self.hour
    guard case .withhold(let withheld) = try story.step(at: now) else {
      Issue.record("it ends by a clock that is right")
      return
    }
    #expect(withheld.reason == [.noConsent, .noFacts, .expired, .expired][way])
    #expect(try doubtful(story, at: now) == .rest(.clock, until: nil))
  }

  @Test("one of two requests waits, and the other is looked at when its own time comes") func two() throws {
    let story = Story()
    try story.policy()
    try story.request()
    try story.request(signedAt: Self.start + Self.hour)
    let now = Self.start + 12 * Self.hour
    #expect(try doubtful(story, at: now) == .rest(.clock, until: now + Self.hour))
  }

  @Test("a request ends for other reasons, and is answered inside its window") func others() throws {
    let story = Story()
    try story.policy()
    try story.consent(true)
    try story.evidence(Story.facts)
    try story.request()
    guard case .claim = try doubtful(story, at: Self.start) else {
      Issue.record("the window is open by any clock")
      return
    }
    try story.notification("REFUND", signedAt: Self.start + 1)
    guard case .recordOutcome = try doubtful(story, at: Self.start + 2) else {
      Issue.record("Apple's decision is recorded")
      return
    }
  }
}

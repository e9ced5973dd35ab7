import Testing

@testable import Responder

@Suite("Calls for an app whose token is refused") struct CallGateTests {
  private static let every: Int64 = 300_000
  private func gate() -> CallGate { CallGate(probeEvery: Self.every) }

  @Test("are tried once more at once, then one every five minutes") func pause() {
    var gate = gate()
    #expect(gate.opensAt(now: 0, lastCall: .max) == nil)
    #expect(gate.note(.unauthorised(at: 10), claim: 1, isOld: false, now: 10) == nil)
    #expect(gate.opensAt(now: 10, lastCall: .max) == nil, "once with a fresh token")
    gate.begin(now: 10)
    #expect(gate.opensAt(now: 11, lastCall: .max) == 10 + Self.every, "and only one call does that")
    #expect(gate.note(.unauthorised(at: 20), claim: 2, isOld: false, now: 20) == .paused)
    #expect(gate.isPaused)
    #expect(gate.opensAt(now: 20, lastCall: .max) == 20 + Self.every)
    #expect(gate.opensAt(now: 20 + Self.every, lastCall: .max) == nil)
    gate.begin(now: 20 + Self.every)
    #expect(gate.note(.unauthorised(at: 0), claim: 3, isOld: false, now: 21 + Self.every) == nil, "told once")
  }

  @Test(
    "go on as soon as one is let in, whatever else it was told",
    arguments: [
      RefundRequest.Result.sent(status: 202, at: 30), .refused(status: 400), .limited(retryAt: 30),
    ])
  func opened(result: RefundRequest.Result) {
    var gate = gate()
    _ = gate.note(.unauthorised(at: 10), claim: 1, isOld: false, now: 10)
    _ = gate.note(.unauthorised(at: 20), claim: 2, isOld: false, now: 20)
    #expect(gate.note(result, claim: 3, isOld: false, now: 30) == .opened)
    #expect(!gate.isPaused)
    #expect(gate.opensAt(now: 30, lastCall: .max) == nil)
  }

  @Test("stay paused where the try got no answer") func noAnswer() {
    var gate = gate()
    _ = gate.note(.unauthorised(at: 10), claim: 1, isOld: false, now: 10)
    _ = gate.note(.unauthorised(at: 20), claim: 2, isOld: false, now: 20)
    gate.begin(now: 20 + Self.every)
    #expect(gate.note(.failed(retryAt: 0), claim: 3, isOld: false, now: 20 + Self.every) == nil)
    #expect(gate.opensAt(now: 20 + Self.every, lastCall: .max) == 20 + 2 * Self.every)
  }

  @Test("are tried at once where settings changed, or the refusal is from before they were read") func settings() {
    var gate = gate()
    _ = gate.note(.unauthorised(at: 10), claim: 1, isOld: false, now: 10)
    _ = gate.note(.unauthorised(at: 20), claim: 2, isOld: false, now: 20)
    gate.tryAgain(now: 50)
    #expect(gate.opensAt(now: 50, lastCall: .max) == nil)
    gate.begin(now: 50)
    #expect(gate.opensAt(now: 51, lastCall: .max) == 50 + Self.every, "one at a time")

    var restarted = self.gate()
    #expect(restarted.note(.unauthorised(at: 10), claim: 7, isOld: true, now: 60) == nil)
    #expect(restarted.opensAt(now: 60, lastCall: .max) == nil)
    restarted.begin(now: 60)
    #expect(restarted.opensAt(now: 61, lastCall: .max) == 60 + Self.every)
  }

  @Test("are not judged by a result that is older than one seen already") func order() {
    var gate = gate()
    _ = gate.note(.sent(status: 202, at: 1), claim: 5, isOld: false, now: 1)
    _ = gate.note(.unauthorised(at: 0), claim: 4, isOld: false, now: 2)
    _ = gate.note(.unauthorised(at: 0), claim: 3, isOld: false, now: 2)
    #expect(!gate.isPaused)
  }

  @Test("wait, all of them, where Apple limits one") func limit() {
    var gate = gate()
    #expect(gate.note(.limited(retryAt: 90), claim: 1, isOld: false, now: 10) == .limited(until: 90))
    #expect(gate.limitEnd(now: 89) == 90 && gate.limitEnd(now: 90) == nil)
    #expect(gate.opensAt(now: 89, lastCall: .max) == 90)
    #expect(gate.opensAt(now: 90, lastCall: .max) == nil)
    _ = gate.note(.limited(retryAt: 50), claim: 2, isOld: false, now: 20)
    #expect(gate.opensAt(now: 51, lastCall: .max) == 90, "a later word never shortens an earlier one")
    #expect(gate.opensAt(now: 51, lastCall: 60) == 60, "a window that closes soon does not wait")
    #expect(gate.opensAt(now: 60, lastCall: 60) == nil)
  }

  @Test("count the limits that each came when the one before had passed") func limitsInARow() {
    var gate = gate()
    _ = gate.note(.limited(retryAt: 90), claim: 1, madeAt: 8, isOld: false, now: 10)
    _ = gate.note(.limited(retryAt: 91), claim: 2, madeAt: 9, isOld: false, now: 11)
    #expect(gate.limitsInARow == 1, "they were under way together")
    _ = gate.note(.limited(retryAt: 200), claim: 3, madeAt: 91, isOld: false, now: 92)
    #expect(gate.limitsInARow == 2)
    _ = gate.note(.failed(retryAt: 0), claim: 4, madeAt: 200, isOld: false, now: 201)
    #expect(gate.limitsInARow == 2)
    _ = gate.note(.sent(status: 202, at: 202), claim: 5, madeAt: 202, isOld: false, now: 203)
    #expect(gate.limitsInARow == 0)
  }

  @Test("do not wait for what a clock said that was wrong, and was mended") func mendedClock() {
    let hours = 13 * Story.hour
    var limited = gate()
    _ = limited.note(.limited(retryAt: hours + 60_000), claim: 1, isOld: false, now: hours)
    #expect(limited.opensAt(now: hours, lastCall: .max) == hours + 60_000)
    #expect(limited.opensAt(now: 1_000, lastCall: .max) == nil)
    #expect(limited.limitEnd(now: 1_000) == nil)
    var paused = gate()
    _ = paused.note(.unauthorised(at: hours), claim: 1, isOld: false, now: hours)
    _ = paused.note(.unauthorised(at: hours), claim: 2, isOld: false, now: hours)
    paused.begin(now: hours)
    #expect(paused.opensAt(now: hours, lastCall: .max) == hours + Self.every)
    #expect(paused.opensAt(now: 1_000, lastCall: .max) == nil)
  }
}

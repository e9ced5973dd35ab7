import TestSupport
import Testing

@testable import Responder

@Suite("The offset of this machine's clock") struct ClockOffsetTests {
  /// A reply that took `roundTrip` and was written half-way, by an Apple whose clock is `ahead` of ours.
  private func reply(at ours: Int64, ahead: Int64, roundTrip: Int64 = 80) -> ClockOffset.Bounds {
    let ours = ours + 1_796_000_000_000
    let written = ours + roundTrip / 2 + ahead
    return .init(date: written - written % 1000, sentAt: ours, repliedAt: ours + roundTrip)
  }

  @Test(
    "is found to the second from replies that agree", arguments: [-90_000, -40_000, -1_500, 1_500, 40_000, 46_800_000])
  func found(ahead: Int64) {
    var offset = ClockOffset()
    for (number, at) in [1_000_123, 1_002_456, 1_007_890].enumerated() {
      #expect(!offset.isKnown, "after \(number) replies")
      #expect(offset.milliseconds == 0)
      offset.take(reply(at: Int64(at), ahead: ahead))
    }
    #expect(offset.isKnown)
    #expect(abs(offset.milliseconds - ahead) <= 600)
  }

  @Test("is none where the clocks may agree", arguments: [-400, 0, 400]) func none(ahead: Int64) {
    var offset = ClockOffset()
    for at in stride(from: Int64(0), to: 50_000, by: 7_777) { offset.take(reply(at: at, ahead: ahead)) }
    #expect(offset.isKnown)
    #expect(abs(offset.milliseconds - ahead) <= 600)
    if ahead == 0 { #expect(offset.milliseconds == 0) }
  }

  @Test("is not believed of one reply, nor of two") func one() {
    var offset = ClockOffset()
    for at in [1_000, 2_000, 3_000] { offset.take(reply(at: Int64(at), ahead: 0)) }
    offset.take(reply(at: 4_000, ahead: -90_000))
    #expect(offset.milliseconds == 0 && offset.isDisputed)
    offset.take(reply(at: 5_000, ahead: -90_000))
    #expect(offset.milliseconds == 0)
    offset.take(reply(at: 6_000, ahead: 0))
    #expect(offset.milliseconds == 0 && !offset.isDisputed, "they were wrong, or the clock is right again")
    for at in [7_000, 8_000, 9_000] { offset.take(reply(at: Int64(at), ahead: -90_000)) }
    #expect(abs(offset.milliseconds + 90_000) <= 600)
  }

  @Test("is not found in replies that contradict each other") func liar() {
    var offset = ClockOffset()
    var random = SeededRandom(seed: 5)
    for number in 0..<200 {
      offset.take(reply(at: Int64(number) * 1_000, ahead: Int64(number % 2 == 0 ? 60_000 : -60_000)))
      _ = random.next()
      #expect(offset.milliseconds == 0)
    }
  }

  @Test("is known no better than a slow reply allows") func slow() {
    var offset = ClockOffset()
    for at in [1_000, 60_000, 120_000] { offset.take(reply(at: Int64(at), ahead: 9_000, roundTrip: 20_000)) }
    #expect(offset.isKnown && offset.milliseconds == 0, "ten seconds of 20 may have been spent on either way")
    for at in [150_000, 151_000, 152_000] { offset.take(reply(at: Int64(at), ahead: 9_000)) }
    #expect(abs(offset.milliseconds - 9_000) <= 600)
  }

  @Test("follows a clock that drifts, and is asked for no more often for it") func drift() {
    var offset = ClockOffset()
    var disputed = 0
    for minute in 0..<2_000 {
      // 50 parts in a million.
      let ahead = Int64(minute) * 3
      offset.take(reply(at: Int64(minute) * 60_000 + Int64(minute * 37 % 1_000), ahead: ahead))
      if offset.isDisputed { disputed += 1 }
      #expect(abs(offset.milliseconds - ahead) < 1_800)
    }
    #expect(disputed == 0)
  }
}

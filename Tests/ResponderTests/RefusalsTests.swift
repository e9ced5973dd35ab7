import EventLog
import Testing

@testable import Responder

@Suite("What the log refuses") struct RefusalsTests {
  private func refusals(_ instants: Int64..., head: Position? = Position(7)) -> Refusals {
    var refusals = Refusals()
    for instant in instants { refusals.add("full", at: instant, head: head) }
    return refusals
  }

  @Test("counts as lasting after five seconds of it, one close after the other") func lasting() {
    #expect(refusals().lasting == nil)
    #expect(refusals(1_000, 5_999).lasting == nil)
    #expect(refusals(1_000, 3_000, 6_000).lasting == "full")
    // Each answered after three seconds, as by a disk that hangs.
    #expect(refusals(0, 4_000, 8_000).lasting == "full")
  }

  @Test("is another trouble where nothing was refused for a while") func apart() {
    #expect(refusals(0, 3_600_000).lasting == nil)
    #expect(refusals(0, 3_600_000, 3_604_000).lasting == nil)
    #expect(refusals(0, 3_600_000, 3_605_000).lasting == "full")
  }

  @Test("is counted anew for whoever takes the lead, and stays known") func anew() {
    var refusals = refusals(0, 6_000)
    refusals.countAnew()
    #expect(refusals.lasting == nil && refusals.reason == "full")
    refusals.add("full", at: 7_000, head: nil)
    #expect(refusals.lasting == nil)
  }

  @Test("is over when the log has grown since the last of it") func over() {
    var known = refusals(0)
    #expect(over(&known, at: 7, 8) == [false, true])
    known.add("full", at: 1, head: Position(8))
    #expect(over(&known, at: 8, 9) == [false, true])
    // Then since it was looked at first.
    var unknown = refusals(0, head: nil)
    #expect(over(&unknown, at: 7, 7, 8) == [false, false, true])
    var none = refusals()
    #expect(over(&none, at: 8) == [false])
  }

  private func over(_ refusals: inout Refusals, at heads: Int64...) -> [Bool] {
    heads.map { refusals.areOver(at: Position($0)) }
  }
}

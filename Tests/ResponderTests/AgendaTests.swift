import Contracts
import Testing

@testable import Responder

@Suite("The agenda") struct AgendaTests {
  private static let gate = CallGates.Name(app: Story.bundleID, environment: "Production")
  private static let lane = CallLane(gate: gate, kind: .consumption)
  private static let other = CallLane(
    gate: CallGates.Name(app: "com.example.other", environment: "Production"), kind: .consumption)

  private func key(_ number: Int) -> PurchaseKey {
    try! PurchaseKey(environment: "Production", transactionID: String(1_000_000 + number))
  }

  @Test("names what is due, the longest past first, until it is done") func due() {
    var agenda = Agenda()
    agenda.add([key(1)], at: 30)
    agenda.add([key(2), key(3)], at: 10)
    #expect(agenda.next() == 10)
    #expect(agenda.due(at: 9, limit: 10).isEmpty)
    #expect(agenda.due(at: 30, limit: 10) == [key(2), key(3), key(1)])
    #expect(agenda.due(at: 30, limit: 2) == [key(2), key(3)])
    agenda.done(key(2), again: 40)
    agenda.done(key(3), again: nil)
    #expect(agenda.due(at: 30, limit: 10) == [key(1)])
    #expect(agenda.due(at: 40, limit: 10) == [key(1), key(2)])
  }

  @Test("brings forward and never puts off") func forward() {
    var agenda = Agenda()
    agenda.add([key(1)], at: 50)
    agenda.add([key(1)], at: 20)
    agenda.add([key(1)], at: 70)
    #expect(agenda.next() == 20)
    #expect(agenda.due(at: 70, limit: 10) == [key(1)])
    agenda.done(key(1), again: nil)
    #expect(agenda.next() == nil)
  }

  @Test("lets those call whose answer is due first, lane by lane") func callers() {
    var agenda = Agenda()
    for (number, due) in [(1, 300), (2, 100), (3, 200)] {
      agenda.waitForCall(key(number), in: Self.lane, due: Int64(due), isUrgent: false, again: 1_000)
    }
    agenda.waitForCall(key(4), in: Self.other, due: 150, isUrgent: false, again: 900)
    #expect(Set(agenda.lanes) == [Self.lane, Self.other])
    #expect(agenda.due(at: 899, limit: 10).isEmpty)
    #expect(agenda.next() == 900)
    #expect(agenda.nextCaller([:]) == nil)
    #expect(agenda.nextCaller([Self.lane: false, Self.other: false]) == key(2))
    #expect(agenda.nextCaller([Self.other: false]) == key(4))
    agenda.done(key(2), again: nil)
    #expect(agenda.nextCaller([Self.lane: false, Self.other: false]) == key(4))
    agenda.done(key(4), again: nil)
    #expect(agenda.lanes == [Self.lane])
    #expect(agenda.hasCaller(in: Self.lane, dueBy: 200) == true)
    #expect(agenda.hasCaller(in: Self.lane, dueBy: 199) == false)
    // Something happened to it: it is judged again before it calls.
    agenda.add([key(3)], at: 5)
    #expect(agenda.nextCaller([Self.lane: false]) == key(1))
    #expect(agenda.due(at: 5, limit: 10) == [key(3)])
  }

  @Test("lets only urgent ones call where a limit holds") func urgent() {
    var agenda = Agenda()
    agenda.waitForCall(key(1), in: Self.lane, due: 100, isUrgent: false, again: 1_000)
    #expect(agenda.nextCaller([Self.lane: true]) == nil)
    agenda.waitForCall(key(2), in: Self.lane, due: 200, isUrgent: true, again: 1_000)
    #expect(agenda.hasUrgent(in: Self.lane) == true)
    #expect(agenda.nextCaller([Self.lane: true]) == key(2))
    #expect(agenda.nextCaller([Self.lane: false]) == key(1))
    // It became urgent meanwhile.
    agenda.waitForCall(key(1), in: Self.lane, due: 100, isUrgent: true, again: 2_000)
    #expect(agenda.nextCaller([Self.lane: true]) == key(1))
  }

  @Test("keeps the order of due, however many wait and come back") func many() {
    var agenda = Agenda()
    let count = 20_000
    for number in 0..<count {
      agenda.waitForCall(
        key(number), in: Self.lane, due: Int64((number * 7_919) % count), isUrgent: false, again: .max - 1)
    }
    var last: Int64 = -1
    for _ in 0..<2_000 {
      _ = agenda.next()
      let key = agenda.nextCaller([Self.lane: false])!
      let due = (Int64(key.transactionID)! - 1_000_000) * 7_919 % Int64(count)
      #expect(due >= last)
      last = due
      agenda.done(key, again: nil)
      // Its result comes back.
      agenda.add([key], at: 1)
      #expect(agenda.due(at: 1, limit: 200) == [key])
      agenda.done(key, again: nil)
    }
  }
}

import Contracts
import EventLog
import Service
import TestSupport
import Testing

@testable import Responder

@Suite("The projection") struct ProjectorTests {
  private func advance(_ bench: LoopBench, in folder: String) throws -> (store: CaseStore, touched: Set<PurchaseKey>) {
    let store = try CaseStore(folder: folder)
    let projector = try Projector(log: bench.log, store: store)
    var touched: Set<PurchaseKey> = []
    while let more = try projector.advance() { touched.formUnion(more) }
    return (store, touched)
  }

  private func evidence(_ bench: LoopBench, units: Int64) throws {
    let recorded = EvidenceRecorded(
      bundleID: LoopBench.bundleID, purchase: LoopBench.key, statedAt: LoopBench.start + units, by: "backend",
      statement: .values(EvidenceValues(unitsGranted: 1000, unitsUsed: units)))
    _ = try bench.log.append([
      EventDraft(
        recorded, id: "evidence/\(units)", stream: StreamName(LoopBench.key.stream), environment: "Sandbox",
        app: LoopBench.bundleID, occurredAt: LoopBench.start)
    ])
  }

  @Test("opens a case by what came before it, and keeps no row for a purchase without one")
  func opening() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try evidence(bench, units: 940)
    try bench.notify("ONE_TIME_CHARGE", uuid: "c")
    #expect(try advance(bench, in: folder.path).store.caseState(LoopBench.key) == nil)
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    let (store, touched) = try advance(bench, in: folder.path)
    let state = try #require(try store.caseState(LoopBench.key))
    #expect(state.version == 3 && state.evidence.unitsUsed?.value == 940 && state.requests.count == 1)
    #expect(state.customer == bench.customer && touched == [LoopBench.key])
    #expect(try store.openCases() == [LoopBench.key])
  }

  @Test("reads on from its bookmark, and gives the same rows when it is made anew")
  func replay() throws {
    let folder = TemporaryFolder()
    let anew = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    try bench.begin()
    try bench.consent()
    try evidence(bench, units: 5)
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    try bench.eventually("an answer") { $0.contains { $0.type == "ConsumptionSent" } }
    try evidence(bench, units: 6)
    try bench.notify("REFUND", uuid: "d", signedAt: LoopBench.start + 1)
    try bench.eventually("an outcome") { $0.last?.type == "Outcome" }
    bench.end()
    let lived = try advance(bench, in: folder.path).store
    let replayed = try advance(bench, in: anew.path).store
    #expect(try lived.bookmark() == bench.log.head() && replayed.bookmark() == bench.log.head())
    #expect(try lived.caseState(LoopBench.key) == replayed.caseState(LoopBench.key))
    #expect(try lived.customer(bench.customer) == replayed.customer(bench.customer))
    #expect(try lived.app(LoopBench.bundleID) == replayed.app(LoopBench.bundleID))
    #expect(try replayed.caseState(LoopBench.key)?.outcome?.kind == .refunded)
    #expect(bench.calls().count == 1)
  }

  @Test("goes on past an event that cannot be folded, and marks its stream; unknown types pass")
  func stuck() throws {
    let folder = TemporaryFolder()
    let bench = try LoopBench(folder: folder.path)
    func append(_ id: String, _ type: String, _ stream: String, _ data: String) throws {
      _ = try bench.log.append([
        EventDraft(
          id: EventID(id), stream: StreamName(stream), type: type, occurredAt: 1, data: Array(data.utf8))
      ])
    }
    try bench.notify("CONSUMPTION_REQUEST", uuid: "r")
    try append("new", "SomethingLater", LoopBench.key.stream, "{}")
    try append("bad", "ConsumptionSent", LoopBench.key.stream, "{}")
    try append("other", "PolicyLoaded", "app/com.example", #"{"bundleId":"com.example"}"#)
    try append("elsewhere", "AlarmRaised", "alarm/x", "{}")
    try bench.consent()
    let (store, _) = try advance(bench, in: folder.path)
    #expect(try store.isStuck(StreamName(LoopBench.key.stream)) && store.isStuck(StreamName("app/com.example")))
    #expect(try store.caseState(LoopBench.key)?.version == 2)
    #expect(try store.customer(bench.customer).consent?.granted == true)
    #expect(try store.bookmark() == bench.log.head())
  }

  @Test("begins anew over another log")
  func otherLog() throws {
    let folder = TemporaryFolder()
    let first = try LoopBench(folder: folder.path)
    try first.notify("CONSUMPTION_REQUEST", uuid: "r")
    _ = try advance(first, in: folder.path)
    let second = try LoopBench(folder: folder.path)
    try second.consent()
    let (store, _) = try advance(second, in: folder.path)
    #expect(try store.caseState(LoopBench.key) == nil)
    #expect(try store.bookmark() == second.log.head())
  }

  @Test("prefers the newer record of a customer; at the same time the withdrawal, whatever came first")
  func consents() throws {
    for order in [
      [(true, 1), (false, 2)], [(false, 2), (true, 1)], [(true, 2), (false, 2)], [(false, 2), (true, 2)],
    ] {
      let folder = TemporaryFolder()
      let bench = try LoopBench(folder: folder.path)
      for (granted, at) in order { try bench.consent(granted, at: Int64(at)) }
      #expect(try advance(bench, in: folder.path).store.customer(bench.customer).consent?.granted == false, "\(order)")
    }
  }
}

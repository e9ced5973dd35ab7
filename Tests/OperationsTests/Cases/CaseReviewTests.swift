import Contracts
import EventLog
import Service
import Testing

@Suite("refundlog answer, hold and release") struct CaseReviewTests {
  @Test("answer records a preference with its reason and the wish to answer, by name, in one step")
  func answer() throws {
    let rig = try CaseRig()
    let request = try rig.notification()
    let result = try rig.run("answer", "2000000000000001", "--prefer", "GRANT_FULL", "--note", "the shop was down")
    #expect(result.code == .success, "\(result.complained)")
    #expect(result.printed.contains("Recorded at position 2, by operator:ada: prefer, answerNow.\n"))
    #expect(result.printed.contains("an answer with GRANT_FULL at once, whoever holds it; the window closes in 11 h"))
    #expect(result.printed.contains("Nothing is sent before there is consent"))
    let events = try rig.reviews()
    #expect(events.map(\.id.text) == [2, 3].map { "review/purchase/Production/2000000000000001/\($0)" })
    #expect(
      events.allSatisfy { $0.customer == rig.customer && $0.app == CaseRig.bundleID && $0.environment == "Production" })
    #expect(events.allSatisfy { $0.correlation?.text == request && $0.causation == nil })
    let acts = try events.map { try CaseReviewed(data: $0.data!) }
    #expect(
      acts.map(\.act) == [.prefer, .answerNow] && acts.allSatisfy { $0.by == "operator:ada" && $0.request == request })
    #expect(
      acts[0].refundPreference?.text == "GRANT_FULL" && acts[0].note == "the shop was down" && acts[1].note == nil)
  }

  @Test("answer sends another one only where Apple has one, and says so otherwise")
  func again() throws {
    let rig = try CaseRig()
    let request = try rig.notification()
    #expect(try rig.run("answer", "2000000000000001", "--again").complained.contains("Apple has no answer yet"))
    try rig.answered(request)
    #expect(try rig.run("answer", "2000000000000001").complained.contains("Apple has an answer already"))
    #expect(try rig.reviews().isEmpty)
    #expect(try rig.run("answer", "2000000000000001", "--again").code == .success)
    #expect(try CaseReviewed(data: rig.reviews()[0].data!).act == .answerAgain)
  }

  @Test("answer is refused while a call is out") func underway() throws {
    let rig = try CaseRig()
    let request = try rig.notification()
    try rig.claimed(request)
    let result = try rig.run("answer", "2000000000000001")
    #expect(result.code == .failure && result.complained.contains("an answer is on its way to Apple"))
    #expect(try rig.reviews().isEmpty)
  }

  @Test(
    "answer takes only Apple's words, with a note",
    arguments: [
      (["--prefer", "GRANT_FUL", "--note", "n"], "did you mean GRANT_FULL?"),
      (["--prefer", "DECLINE"], "--note is missing"),
    ])
  func words(flags: [String], sentence: String) throws {
    let result = Refundlog(["answer", "7"] + flags)
    #expect(result.code == .usage && result.complained.contains(sentence))
  }

  @Test("hold and release follow each other, and a hold ends two hours before the answer is due")
  func hold() throws {
    let rig = try CaseRig()
    try rig.notification()
    #expect(try rig.run("release", "2000000000000001").complained.contains("nothing of it is held"))
    #expect(try rig.run("hold", "2000000000000001", "--note", "asked the shop").code == .success)
    #expect(try rig.run("hold", "2000000000000001").complained.contains("it is held already"))
    #expect(try rig.run("release", "2000000000000001").code == .success)
    #expect(try rig.run("hold", "2000000000000001").code == .success)
    let acts = try rig.reviews().map { try CaseReviewed(data: $0.data!) }
    #expect(acts.map(\.act) == [.hold, .release, .hold])
    let until = CaseRig.start + 12 * CaseRig.hour - 600_000 - 2 * CaseRig.hour
    #expect(acts[0].until == until && acts[0].note == "asked the shop")
    // What has ended by itself needs no release, and it is too late for another.
    #expect(try rig.run("release", "2000000000000001", at: until).complained.contains("nothing of it is held"))
    #expect(try rig.run("hold", "2000000000000001", at: until).complained.contains("a hold must leave time to answer"))
  }

  @Test("hold holds the preference, and with --all the whole answer", arguments: [false, true])
  func holdAll(all: Bool) throws {
    let rig = try CaseRig()
    try rig.notification()
    let result = try all ? rig.run("hold", "2000000000000001", "--all") : rig.run("hold", "2000000000000001")
    #expect(result.code == .success)
    #expect(
      result.printed.contains(all ? "holds the whole answer back" : "answers the facts and holds the preference back"))
    #expect(try CaseReviewed(data: rig.reviews()[0].data!).all == (all ? true : nil))
    #expect(try rig.run("hold", "2000000000000001", "--all").code == (all ? .failure : .success))
    #expect(try rig.run("hold", "2000000000000001").complained.contains("it is held already"))
  }

  @Test("nothing is recorded where it would change nothing", arguments: ["answer", "hold", "release"])
  func refusals(command: String) throws {
    let rig = try CaseRig()
    try rig.notification(number: 1)
    try rig.notification("REFUND_DECLINED", number: 2, id: "2000000000000002", reason: nil)
    try rig.notification(number: 3, id: "2000000000000003")
    try rig.notification("REFUND", number: 4, id: "2000000000000003", signedAt: CaseRig.start + 5, reason: nil)
    let closed = try rig.run(command, "2000000000000001", at: CaseRig.start + 13 * CaseRig.hour)
    #expect(closed.code == .failure && closed.complained.contains("its window closed 1 h ago"))
    #expect(try rig.run(command, "2000000000000002").complained.contains("Apple sent no refund request for it"))
    #expect(try rig.run(command, "2000000000000003").complained.contains("Apple decided already: refunded"))
    #expect(try rig.run(command, "7").complained.contains("there is no case 7"))
    #expect(try rig.reviews().isEmpty && rig.reviews(id: "2000000000000003").isEmpty)
  }
}

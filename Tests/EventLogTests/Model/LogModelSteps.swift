import EventLog
import Service
import Testing

/// Random steps on a log and on the model of it, side by side. Few streams and few ids, so that they meet often.
struct LogModelSteps {
  struct Call: Sendable {
    var events: [EventDraft]
    var expecting: [StreamName: ExpectedVersion]
  }

  private(set) var model = LogModel()
  private var random: LogModelRandom
  /// Calls that a lost reply may bring back.
  private var earlier: [Call] = []
  private(set) var counts: [String: Int] = [:]

  init(seed: UInt64) { random = LogModelRandom(seed: seed) }

  /// One step through one of the handles, which lead to the same log.
  mutating func step(_ handles: [any EventLog]) throws {
    let log = handles.randomElement(using: &random)!
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35: try append(call(), to: log)
    case 35..<50:
      guard let call = earlier.randomElement(using: &random) else { return try append(call(), to: log) }
      count("retry")
      try append(call, to: log)
    case 50..<60: try appendTwiceAtOnce(handles)
    case 60..<70: try appendManyAtOnce(log)
    case 70..<78: try erase(through: log)
    default: try look(through: log)
    }
  }

  mutating func chance(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: Appends

  private mutating func append(_ call: Call, to log: any EventLog) throws {
    remember(call)
    let outcome = try log.append(call.events, expecting: call.expecting)
    judge(outcome, of: call)
  }

  private mutating func judge(_ outcome: AppendOutcome, of call: Call) {
    let verdict = model.append(call.events, expecting: call.expecting)
    if case .conflict = verdict { count("conflict") } else { count("recorded") }
    #expect(verdict.allows(outcome), "expected \(verdict), found \(outcome), of \(Self.words(call))")
  }

  /// The reply of a call is lost, and it comes again through another handle before the first has been answered: one
  /// of the two writes, the other finds it written; never is it a conflict with itself.
  private mutating func appendTwiceAtOnce(_ handles: [any EventLog]) throws {
    let call = call()
    remember(call)
    count("lost reply")
    let answers = Monitor<[Result<AppendOutcome, AppendError>]>([])
    for _ in 0..<2 {
      handles.randomElement(using: &random)!.submit(call.events, expecting: call.expecting) { answer in
        answers.change { $0.append(answer) }
      }
    }
    let found = try answers.wait { $0.count == 2 ? $0 : nil }!.map { try $0.get() }
    let first = model.append(call.events, expecting: call.expecting)
    let second = model.append(call.events, expecting: call.expecting)
    #expect(
      first.allows(found[0]) && second.allows(found[1]) || first.allows(found[1]) && second.allows(found[0]),
      "expected \(first) and \(second), found \(found), of \(Self.words(call))")
  }

  /// Several calls wait together, and go to disk in one transaction; each is judged after those before it.
  private mutating func appendManyAtOnce(_ log: any EventLog) throws {
    let calls = (0..<Int.random(in: 2...6, using: &random)).map { _ in call() }
    count("batch")
    let answers = Monitor<[Int: Result<AppendOutcome, AppendError>]>([:])
    for (place, call) in calls.enumerated() {
      remember(call)
      log.submit(call.events, expecting: call.expecting) { answer in answers.change { $0[place] = answer } }
    }
    let found = answers.wait { $0.count == calls.count ? $0 : nil }!
    for (place, call) in calls.enumerated() { judge(try found[place]!.get(), of: call) }
  }

  private mutating func remember(_ call: Call) {
    if earlier.count < 200 { return earlier.append(call) }
    earlier[Int.random(in: 0..<200, using: &random)] = call
  }

  private mutating func call() -> Call {
    let events = (0..<[1, 1, 1, 2, 3, 5].randomElement(using: &random)!).map { _ in event() }
    var expecting: [StreamName: ExpectedVersion] = [:]
    for _ in 0..<[0, 0, 1, 1, 2, 3].randomElement(using: &random)! {
      // Of a stream that is written, or of another one that the decision rests on.
      let stream = chance(in: 2) ? events[0].stream : stream()
      let version = model.version(of: stream)
      expecting[stream] =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .any
        case 1: ExpectedVersion.none
        case 2: .exactly(version + Int64.random(in: -1...1, using: &random))
        default: .exactly(version)
        }
    }
    return Call(events: events, expecting: expecting)
  }

  private mutating func event() -> EventDraft {
    // Mostly a new one; else one that stands in the log, as it was or with something changed.
    if let known = model.entries.randomElement(using: &random)?.draft, chance(in: 4) {
      var event = known
      switch Int.random(in: 0..<8, using: &random) {
      case 0: event.data = data()
      case 1: event.stream = stream()
      case 2: event.type = "Other"
      case 3: event.schema += 1
      case 4: event.seams = event.seams == nil ? Seams(.raw([1, 2, 3])) : nil
      default: break
      }
      return event
    }
    // A narrow space of ids: new ones meet each other too.
    let id = Int.random(in: 0..<(model.entries.count + 5) * 3, using: &random)
    return EventDraft(
      id: EventID("id/\(id)"), stream: stream(), type: ["Noted", "Seen"].randomElement(using: &random)!,
      schema: Int64.random(in: 1...2, using: &random), occurredAt: 1, data: data(),
      seams: chance(in: 4) ? Seams(.raw([UInt8](repeating: 7, count: Int.random(in: 0..<40, using: &random)))) : nil)
  }

  private mutating func stream() -> StreamName { StreamName("stream/\(Int.random(in: 0..<6, using: &random))") }

  private mutating func data() -> [UInt8] {
    Array("{\"n\":\(Int.random(in: 0..<1_000_000, using: &random))}".utf8)
  }

  private static func words(_ call: Call) -> String {
    let events = call.events.map { "\($0.id) in \($0.stream)" }.joined(separator: ", ")
    return "\(events), expecting \(call.expecting)"
  }

  // MARK: Erasures and looks

  private mutating func erase(through log: any EventLog) throws {
    var ids = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
      model.entries.randomElement(using: &random)?.draft.id
    }
    if chance(in: 4) { ids.append(EventID("absent")) }
    if chance(in: 8), let first = ids.first { ids.append(first) }
    count("erasure")
    #expect(try log.erase(ids) == model.erase(ids), "of \(ids)")
  }

  private mutating func look(through log: any EventLog) throws {
    count("look")
    #expect(try log.head().position == Position(Int64(model.entries.count)))
    let after = Int64.random(in: 0...Int64(model.entries.count), using: &random)
    let events = try log.read(after: Position(after), limit: 20)
    let expected = (after..<min(after + 20, Int64(model.entries.count))).map { $0 + 1 }
    #expect(events.map(\.position.value) == expected)
    for event in events { #expect(model.holds(event), "\(event.position)") }
    if let entry = model.entries.randomElement(using: &random) {
      let event = try log.read(id: entry.draft.id)
      #expect(event.map { model.holds($0) } == true)
      let version = model.version(of: entry.draft.stream)
      let tail = try log.read(stream: entry.draft.stream, after: max(0, version - 3), limit: 10)
      let versions = (max(0, version - 3)..<version).map { $0 + 1 }
      #expect(tail.map(\.version) == versions)
      #expect(tail.allSatisfy { $0.stream == entry.draft.stream && model.holds($0) })
    }
  }

  /// The whole log against the model.
  func compare(_ log: any EventLog) throws {
    var position = Position.start
    while true {
      let events = try log.read(after: position, limit: 1_000)
      guard let last = events.last else { break }
      for event in events {
        #expect(event.position == position.next && model.holds(event), "\(event.position)")
        position = event.position
      }
      position = last.position
    }
    #expect(position.value == model.entries.count)
  }
}

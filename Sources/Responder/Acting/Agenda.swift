import Contracts

/// Cases to look at again, each with the instant from which on, milliseconds since 1970, UTC; and those that only wait for
/// a call, earliest due first. What is not due costs nothing.
struct Agenda: Sendable {
  private struct Entry: Comparable, Sendable {
    var instant: Int64
    /// Of those of one instant, the one that was added first comes first.
    var number: Int64
    var key: PurchaseKey
    static func < (a: Self, b: Self) -> Bool { (a.instant, a.number) < (b.instant, b.number) }
  }

  private struct Caller: Comparable, Sendable {
    var due: Int64
    var number: Int64
    var key: PurchaseKey
    static func < (a: Self, b: Self) -> Bool {
      (a.due, a.key.transactionID, a.number) < (b.due, b.key.transactionID, b.number)
    }
  }

  private struct Queue: Sendable {
    var usual = MinHeap<Caller>()
    /// Those that wait for no limit any more, as their windows close soon.
    var urgent = MinHeap<Caller>()
    var count = 0
  }

  private struct Place: Sendable {
    /// Of the entry that counts; older ones are passed over.
    var number: Int64
    var instant: Int64
    var lane: CallLane?
  }

  private var places: [PurchaseKey: Place] = [:]
  private var entries = MinHeap<Entry>()
  private var queues: [CallLane: Queue] = [:]
  private var numbers: Int64 = 0

  /// Puts cases on it, in this order; what stands there already is brought forward, never put off.
  mutating func add(_ keys: some Sequence<PurchaseKey>, at instant: Int64) {
    for key in keys {
      // What happened may have changed what it waits for.
      put(key, at: min(instant, places[key]?.instant ?? .max))
    }
  }

  /// What is to be looked at now, at most `limit`, the longest past first. It stays on the agenda until `done` or
  /// `waitForCall` is said of it.
  mutating func due(at now: Int64, limit: Int) -> [PurchaseKey] {
    var found: [Entry] = []
    while found.count < limit, let first = firstEntry(), first.instant <= now {
      found.append(first)
      _ = entries.takeFirst()
    }
    for entry in found { entries.add(entry) }
    return found.map(\.key)
  }

  /// - Parameter again: when to look again; nil where only an event of the case brings it back.
  mutating func done(_ key: PurchaseKey, again: Int64?) {
    if let again { put(key, at: again) } else { remove(key) }
  }

  /// Everything is there for a call.
  /// - Parameters:
  ///   - isUrgent: it waits for no limit of Apple's any more.
  ///   - again: when it is to be looked at though no call was made.
  mutating func waitForCall(_ key: PurchaseKey, in lane: CallLane, due: Int64, isUrgent: Bool, again: Int64) {
    put(key, at: again)
    places[key]!.lane = lane
    let caller = Caller(due: due, number: places[key]!.number, key: key)
    if isUrgent {
      queues[lane, default: Queue()].urgent.add(caller)
    } else {
      queues[lane, default: Queue()].usual.add(caller)
    }
    queues[lane]!.count += 1
  }

  /// Lanes in which somebody waits for a call.
  var lanes: [CallLane] { queues.filter { $0.value.count > 0 }.map(\.key) }

  /// Whether somebody who is urgent waits in it.
  mutating func hasUrgent(in lane: CallLane) -> Bool { firstCaller(in: lane, isUrgent: true) != nil }

  /// Whether one waits in the lane whose answer is due before that instant, or then.
  mutating func hasCaller(in lane: CallLane, dueBy due: Int64) -> Bool {
    [true, false].contains { isUrgent in firstCaller(in: lane, isUrgent: isUrgent).map { $0.due <= due } ?? false }
  }

  /// Who may call next, earliest due first. It stays on the agenda until `done` is said of it.
  /// - Parameter open: lanes in which a call may be made now, with whether that is so for urgent ones only.
  mutating func nextCaller(_ open: [CallLane: Bool]) -> PurchaseKey? {
    var found: Caller?
    for (lane, urgentOnly) in open {
      for isUrgent in urgentOnly ? [true] : [true, false] {
        guard let first = firstCaller(in: lane, isUrgent: isUrgent) else { continue }
        if found.map({ first < $0 }) ?? true { found = first }
      }
    }
    return found?.key
  }

  /// The earliest instant on it.
  mutating func next() -> Int64? { firstEntry()?.instant }

  // MARK: Places

  private mutating func put(_ key: PurchaseKey, at instant: Int64) {
    leaveLane(key)
    numbers += 1
    places[key] = Place(number: numbers, instant: instant)
    entries.add(Entry(instant: instant, number: numbers, key: key))
    // Those that were replaced are passed over when their turn comes; they are not to outnumber the others.
    if entries.count > 2 * places.count + 1_000 { sweep() }
  }

  private mutating func remove(_ key: PurchaseKey) {
    leaveLane(key)
    places[key] = nil
  }

  private mutating func leaveLane(_ key: PurchaseKey) {
    guard let lane = places[key]?.lane else { return }
    queues[lane]!.count -= 1
    if queues[lane]!.count == 0 { queues[lane] = nil }
  }

  private mutating func sweep() {
    entries = MinHeap(places.map { key, place in Entry(instant: place.instant, number: place.number, key: key) })
    for (lane, queue) in queues where queue.usual.count + queue.urgent.count > 2 * queue.count + 1_000 {
      func standing(_ heap: MinHeap<Caller>) -> MinHeap<Caller> {
        heap.filtered { places[$0.key]?.number == $0.number }
      }
      queues[lane] = Queue(usual: standing(queue.usual), urgent: standing(queue.urgent), count: queue.count)
    }
  }

  /// The first entry that counts; those before it are dropped.
  private mutating func firstEntry() -> Entry? {
    while let first = entries.first {
      if places[first.key]?.number == first.number { return first }
      _ = entries.takeFirst()
    }
    return nil
  }

  private mutating func firstCaller(in lane: CallLane, isUrgent: Bool) -> Caller? {
    while let first = isUrgent ? queues[lane]?.urgent.first : queues[lane]?.usual.first {
      if let place = places[first.key], place.number == first.number, place.lane == lane { return first }
      if isUrgent { _ = queues[lane]?.urgent.takeFirst() } else { _ = queues[lane]?.usual.takeFirst() }
    }
    return nil
  }
}

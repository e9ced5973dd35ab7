/// What waits to be posted. A value: the postman keeps it behind a lock, and its threads take from it.
struct PostQueue: Sendable {
  /// Each kind has room of its own, so that none takes it from another.
  enum Kind: Int, CaseIterable, Sendable {
    /// Notifications that a call of the control API waits for.
    case asked
    /// What scenarios have planned.
    case planned
    /// Signed notifications that were put off or come again; each has 20 KB.
    case signed

    var max: Int { self == .planned ? 10_000 : 1000 }
  }

  enum Work: Sendable {
    case compose(Postman.Job)
    case attempt(Letter)
  }

  struct Entry: Sendable {
    var due: Int64
    var order: Int
    var kind: Kind
    var lane: String?
    var work: Work
  }

  private var entries: [Entry] = []
  private var counts = [Int](repeating: 0, count: Kind.allCases.count)
  private var orders = 0
  /// Lanes in which a notification is being posted.
  private var busy: Set<String> = []
  private var held: [Letter] = []
  private(set) var isStopping = false
  /// Counts what may change the time to wait.
  private(set) var news = 0

  /// - Returns: false when there is no room, or the postman is stopping.
  mutating func add(_ work: Work, due: Int64, kind: Kind, lane: String?) -> Bool {
    guard !isStopping, counts[kind.rawValue] + (kind == .signed ? held.count : 0) < kind.max else { return false }
    orders += 1
    news += 1
    counts[kind.rawValue] += 1
    entries.append(Entry(due: due, order: orders, kind: kind, lane: lane, work: work))
    return true
  }

  /// The due entry that has waited longest and whose lane is free; its lane is busy from now on.
  mutating func takeDue(at now: Int64) -> Entry? {
    var best: Int?
    for (index, entry) in entries.enumerated() where entry.due <= now && isFree(entry.lane) {
      if let other = best.map({ entries[$0] }), (other.due, other.order) < (entry.due, entry.order) { continue }
      best = index
    }
    guard let best else { return nil }
    let entry = entries.remove(at: best)
    counts[entry.kind.rawValue] -= 1
    if let lane = entry.lane { busy.insert(lane) }
    return entry
  }

  mutating func leave(_ lane: String?) {
    news += 1
    if let lane { busy.remove(lane) }
  }

  /// When the next entry is due whose lane is free.
  var nextDue: Int64? { entries.lazy.filter { isFree($0.lane) }.map(\.due).min() }

  /// - Returns: false when there is no room.
  mutating func hold(_ letter: Letter) -> Bool {
    guard !isStopping, counts[Kind.signed.rawValue] + held.count < Kind.signed.max else { return false }
    held.append(letter)
    return true
  }

  /// Whatever was held back goes out now.
  mutating func release(now: Int64) {
    let released = held
    held = []
    for letter in released { _ = add(.attempt(letter), due: now, kind: .signed, lane: nil) }
  }

  /// - Returns: what waited, for whoever has to be told.
  mutating func stop() -> [Entry] {
    isStopping = true
    news += 1
    defer { (entries, held) = ([], []) }
    return entries
  }

  private func isFree(_ lane: String?) -> Bool { lane.map { !busy.contains($0) } ?? true }
}

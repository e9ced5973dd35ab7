import Service

/// Writes the state on a thread of its own, so that no network thread waits for the disk. All
/// notifications that wait are parked with one sync. Notes of refused bodies are written four times
/// a second at most and without a sync: a flood of them takes neither the disk nor the room of what
/// is genuine.
final class StateWriter: Sendable {
  typealias Parked = @Sendable (ParkingOutcome) -> Void

  private static let batchMax = 512
  /// Notifications and bytes that may wait; beyond them the App Store is told to come again.
  private static let waitingMax = 4_000
  private static let waitingBytesMax = 64 << 20
  /// Notes that may wait; beyond them they are only counted.
  private static let notesMax = 256
  private static let notesIntervalMilliseconds: Int64 = 250

  private enum Work: Sendable {
    case park(ParkedNotification, then: Parked)
    case settle(ParkedSettlement, then: @Sendable (ReceiverStateError?) -> Void)
    case configure(Set<[UInt8]>, ParkingLimits, QuarantineLimits)
    case tend(then: @Sendable (Result<Tended, ReceiverStateError>) -> Void)
  }

  private struct Queue: Sendable {
    var work: [Work] = []
    var parkedBytes = 0
    var notes: [QuarantineNote] = []
    var isClosed = false
  }

  private struct Batch: Sendable {
    var work: [Work]
    var notes: [QuarantineNote]
    var isLast: Bool
  }

  /// What others may ask about the state at any moment.
  struct Figures: Sendable {
    var parked = 0
    /// Of these, for bundles in the settings.
    var parkedForApps = 0
    var quarantined = 0

    init(_ store: StateStore) {
      parked = store.usage.count
      parkedForApps = store.usage.countForApps
      quarantined = store.quarantinedCount
    }
  }

  /// What tending found.
  struct Tended: Sendable {
    /// Whether another step would find more to forget.
    var hasMore: Bool
    var figures: Figures
  }

  /// Whether the state could be written of late.
  let fault: RecentFault
  /// Notes that found no room in the queue.
  let notesDropped: Counter
  private let queue = Monitor(Queue())
  private let figures: Monitor<Figures>
  private let thread: Monitor<OwnedThread?>

  /// - Parameter store: handed over; from here on only the writer's thread touches it.
  init(_ store: StateStore, clock: WallClock) {
    let queue = queue
    let figures = Monitor(Figures(store))
    self.figures = figures
    let fault = RecentFault()
    self.fault = fault
    notesDropped = Counter()
    thread = Monitor(nil)
    let thread = OwnedThread(name: "receiver.state") {
      var notesAt = MonotonicClock.milliseconds()
      var isLast = false
      while !isLast {
        guard let batch = Self.nextBatch(queue, notesAt: notesAt) else { continue }
        isLast = batch.isLast
        Self.perform(batch.work, in: store, clock, fault)
        if !batch.notes.isEmpty {
          Self.write(batch.notes, in: store, clock, fault)
          notesAt = MonotonicClock.milliseconds() + Self.notesIntervalMilliseconds
        }
        figures.withLock { $0 = Figures(store) }
      }
    }
    self.thread.withLock { $0 = thread }
  }

  var now: Figures { figures.withLock { $0 } }

  /// Keeps a notification.
  /// - Parameter then: called once: from the writer's thread when the notification is on disk or is
  ///   known not to be; at once, from the caller's, where there is no room to wait. It must not
  ///   block.
  func park(_ notification: ParkedNotification, then: @escaping Parked) {
    let bytes = notification.token.count
    let objection: String? = queue.change { queue in
      if queue.isClosed { return "the state is closed" }
      guard queue.work.count < Self.waitingMax, queue.parkedBytes + bytes <= Self.waitingBytesMax else {
        return "\(queue.work.count) notifications are waiting for the disk already"
      }
      queue.work.append(.park(notification, then: then))
      queue.parkedBytes += bytes
      return nil
    }
    if let objection { then(.failed(reason: objection)) }
  }

  /// Takes a note, or only counts it where too many wait.
  func note(_ note: QuarantineNote) {
    let isTaken = queue.change { queue in
      guard !queue.isClosed else { return false }
      if let place = queue.notes.firstIndex(where: { $0.digest == note.digest }) {
        queue.notes[place].deliveries += 1
        queue.notes[place].lastReceivedAt = note.lastReceivedAt
        return true
      }
      guard queue.notes.count < Self.notesMax else { return false }
      queue.notes.append(note)
      return true
    }
    if !isTaken { notesDropped.add() }
  }

  /// Carries out what a feeding found. Waits for the disk; for owned threads.
  func settle(_ settlement: ParkedSettlement) throws(ReceiverStateError) {
    try wait { then in .settle(settlement) { error in then(error.map { .failure($0) } ?? .success(())) } }
  }

  /// Counts again what the file holds, which another process may have changed, and forgets some of
  /// the notes that are past their bounds. Notifications that were handed over before the call have
  /// been parked, or are known not to be, when this returns. Waits for the disk; for owned threads.
  func tend() throws(ReceiverStateError) -> Tended {
    try wait { .tend(then: $0) }
  }

  private func wait<Answer: Sendable>(
    _ work: (@escaping @Sendable (Result<Answer, ReceiverStateError>) -> Void) -> Work
  ) throws(ReceiverStateError) -> Answer {
    let answer = Monitor<Result<Answer, ReceiverStateError>?>(nil)
    let piece = work { given in answer.change { $0 = given } }
    let isTaken = queue.change { queue in
      if queue.isClosed { return false }
      queue.work.append(piece)
      return true
    }
    guard isTaken else { throw .unreachable(path: ReceiverStateSchema.fileName, reason: "the state is closed") }
    return try answer.wait { $0 }!.get()
  }

  /// Other bundles stand in the settings from now on, or other bounds.
  func configure(bundles: Set<[UInt8]>, parking: ParkingLimits, quarantine: QuarantineLimits) {
    queue.change { $0.work.append(.configure(bundles, parking, quarantine)) }
  }

  /// Takes nothing more, writes what waits, and returns when that is done.
  func close() {
    queue.change { $0.isClosed = true }
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  // MARK: The writer's thread

  /// Waits for work, or for the time at which notes are written; nil where there is neither yet.
  private static func nextBatch(_ queue: Monitor<Queue>, notesAt: Int64) -> Batch? {
    _ = queue.wait { queue -> Bool? in
      queue.work.isEmpty && queue.notes.isEmpty && !queue.isClosed ? nil : true
    }
    return queue.wait(until: notesAt) { queue -> Batch? in
      let areNotesDue = queue.isClosed || MonotonicClock.milliseconds() >= notesAt
      guard !queue.work.isEmpty || areNotesDue else { return nil }
      let work = Array(queue.work.prefix(batchMax))
      queue.work.removeFirst(work.count)
      for case .park(let notification, _) in work { queue.parkedBytes -= notification.token.count }
      let isLast = queue.isClosed && queue.work.isEmpty
      var notes: [QuarantineNote] = []
      if areNotesDue { swap(&notes, &queue.notes) }
      return Batch(work: work, notes: notes, isLast: isLast)
    }
  }

  private static func perform(_ work: [Work], in store: StateStore, _ clock: WallClock, _ fault: RecentFault) {
    var together: [(notification: ParkedNotification, then: Parked)] = []
    func parkThose() {
      guard !together.isEmpty else { return }
      defer { together = [] }
      do throws(ReceiverStateError) {
        let outcomes = try store.park(together.map(\.notification))
        fault.clear()
        for (waiting, outcome) in zip(together, outcomes) { waiting.then(outcome) }
      } catch {
        fault.set(error.description)
        for waiting in together { waiting.then(.failed(reason: error.description)) }
      }
    }
    for piece in work {
      switch piece {
      case .park(let notification, let then): together.append((notification, then))
      case .settle(let settlement, let then):
        parkThose()
        do throws(ReceiverStateError) {
          try store.settle(settlement)
          then(nil)
        } catch {
          fault.set(error.description)
          then(error)
        }
      case .configure(let bundles, let parking, let quarantine):
        parkThose()
        store.configure(configured: bundles, parking: parking, quarantine: quarantine)
      case .tend(let then):
        parkThose()
        do throws(ReceiverStateError) {
          let hasMore = try store.tend(now: clock.now())
          then(.success(Tended(hasMore: hasMore, figures: Figures(store))))
        } catch {
          fault.set(error.description)
          then(.failure(error))
        }
      }
    }
    parkThose()
  }

  private static func write(
    _ notes: [QuarantineNote], in store: StateStore, _ clock: WallClock, _ fault: RecentFault
  ) {
    do throws(ReceiverStateError) { try store.note(notes, now: clock.now()) } catch { fault.set(error.description) }
  }
}

import EventLog
import Glibc
import JSON
import Service

/// Threads that each append one notification after the other and wait for the disk each time.
struct WriteRole {
  private struct Tally: Sendable {
    var appended = 0
    var conflicts = 0
    var failures: [String] = []
    var latencies = Latencies()
  }

  private let log: any SharedLog
  private let barrier: Barrier
  private let label: String
  private let threads: Int
  private let count: Int?
  private let seconds: Double
  private let pause: UInt32
  private let isContended: Bool

  init(_ options: LoadOptions) throws {
    log = try options.sharedLog()
    barrier = Barrier(options)
    label = options.label
    threads = max(1, try options.integer("threads", or: 1))
    count = try options.arguments["count"] == nil ? nil : options.integer("count", or: 0)
    seconds = try options.seconds("seconds", or: 3_600)
    pause = UInt32(try options.integer("pause-us", or: 0))
    isContended = options.arguments.has("contended")
  }

  func run() throws -> JSONObject {
    let notices = Notices()
    let tallies = Monitor<[Tally]>([])
    // Other numbers in each process and thread, the same ones in each run: ids never meet.
    let prepared = (0..<threads).map { number in
      var random = SplitMix(seed: label.utf8.reduce(UInt64(number)) { $0 &* 0x100_0000_01B3 ^ UInt64($1) })
      return (DraftPool(notices, type: "DID_RENEW", signedAt: 1_796_000_000_000, random: &random), random)
    }
    try barrier.pass()
    let began = MonotonicClock.nanoseconds()
    let deadline = began + Int64(seconds * 1e9)
    let share = count.map { ($0 + threads - 1) / threads }
    let workers = prepared.map { drafts, random in
      OwnedThread(name: "load.writer") { [self] in
        let tally = write(drafts, random, share: share, until: deadline)
        tallies.change { $0.append(tally) }
      }
    }
    for worker in workers { worker.join() }
    let elapsed = Double(MonotonicClock.nanoseconds() - began) / 1e9
    // Before the last checkpoint, which closing makes.
    let figures = log.figures()
    log.close()
    let all = tallies.withLock { $0 }
    let appended = all.reduce(0) { $0 + $1.appended }
    var latencies = Latencies()
    for tally in all { latencies.add(tally.latencies) }
    var result: JSONObject = [
      "label": .string(label), "threads": .count(threads), "appended": .count(appended),
      "conflicts": .count(all.reduce(0) { $0 + $1.conflicts }),
      "failures": .array(all.flatMap(\.failures).prefix(5).map { .string($0) }),
      "milliseconds": .count(Int(elapsed * 1_000)), "perSecond": .count(Int(Double(appended) / elapsed)),
    ]
    result.merge(latencies.members())
    result.merge(figures)
    return result
  }

  private func write(_ drafts: DraftPool, _ random: SplitMix, share: Int?, until deadline: Int64) -> Tally {
    var tally = Tally()
    var (drafts, random) = (drafts, random)
    var version: Int64 = 0
    var earlier: EventDraft?
    do {
      let writer = try log.writer()
      while share.map({ tally.appended < $0 }) ?? true {
        if MonotonicClock.nanoseconds() >= deadline { break }
        var draft = drafts.draft(
          purchase: Int.random(in: 0..<1_000_000, using: &random), occurredAt: MonotonicClock.nanoseconds(),
          random: &random)
        var expecting: [StreamName: ExpectedVersion] = [:]
        if isContended, random.next() % 4 == 0 {
          draft.stream = StreamName("contended")
          expecting = [draft.stream: .exactly(version)]
        }
        var call = [draft]
        // An event that came before is named again in front of the new one.
        if isContended, let earlier, random.next() % 4 == 0 { call.insert(earlier, at: 0) }
        let asked = MonotonicClock.nanoseconds()
        switch try writer.append(call, expecting: expecting) {
        case .recorded:
          tally.appended += 1
          earlier = draft
          tally.latencies.add(MonotonicClock.nanoseconds() - asked)
          if !expecting.isEmpty { version += 1 }
        case .conflict(_, let actual):
          tally.conflicts += 1
          version = actual
        }
        if pause > 0 { usleep(pause) }
      }
    } catch { tally.failures.append("\(error)") }
    return tally
  }
}

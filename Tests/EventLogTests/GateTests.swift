import Glibc
import Service
import TestSupport
import Testing

@testable import EventLog

@Suite("The gate of a log") struct GateTests {
  /// Promise 7: with one lock in place of two, who has had a turn takes the next one as well, before the one that waits
  /// wakes.
  @Test("lets two who always want a turn have it by turns", .timeLimit(.minutes(5))) func byTurns() throws {
    let folder = TemporaryFolder()
    let files = LogFiles(folder: folder.path)
    var best = 0.0
    // A loaded machine keeps a writer from wanting its turn at all, which then looks the same.
    for _ in 0..<3 where best < 0.75 { best = max(best, try changes(files, turns: Effort.pick(300, long: 5_000))) }
    #expect(best >= 0.75, "\(best)")
  }

  /// Two writers, each with a gate of its own, until one of them has had so many turns.
  /// - Returns: after how many of the turns that both wanted the other one had the next, as a share.
  private func changes(_ files: LogFiles, turns: Int) throws -> Double {
    let order = Monitor<[Int]>([])
    let threads = try (0..<2).map { number in
      let gate = try Gate(files)
      return OwnedThread(name: "writer.\(number)") {
        Self.shareOneProcessor()
        var isOver = false
        while !isOver {
          gate.pass { _ in
            isOver = order.change { order in
              order.append(number)
              return order.count >= 2 * turns
            }
            usleep(300)
          }
        }
      }
    }
    for thread in threads { thread.join() }
    // From where both are there to the last turn but one's own end.
    let had = order.withLock { Array($0.prefix(2 * turns)) }
    let contested = had[(had.firstIndex { $0 != had[0] } ?? had.count - 1)...]
    let changes = zip(contested, contested.dropFirst()).count { $0 != $1 }
    print("GateTests: the other one has the next turn after \(changes) of \(contested.count)")
    return contested.count > turns ? Double(changes) / Double(contested.count) : 0
  }

  /// One processor, and no preference for who wakes: whoever gives its turn back goes on running, so nothing but the
  /// queue keeps it from taking the next one. Left to several processors, chance hides that most of the time.
  private static func shareOneProcessor() {
    typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32
    typealias Scheduler = @convention(c) (pid_t, Int32, UnsafePointer<sched_param>) -> Int32
    // GNU's own, which the module leaves out.
    guard let get = dlsym(nil, "sched_getaffinity"), let set = dlsym(nil, "sched_setaffinity"),
      let choose = dlsym(nil, "sched_setscheduler")
    else { return }
    var processors = [UInt8](repeating: 0, count: 128)
    guard unsafeBitCast(get, to: Affinity.self)(0, processors.count, &processors) >= 0,
      let first = processors.firstIndex(where: { $0 != 0 })
    else { return }
    let one = processors[first] & (~processors[first] &+ 1)
    processors = [UInt8](repeating: 0, count: processors.count)
    processors[first] = one
    _ = unsafeBitCast(set, to: Affinity.self)(0, processors.count, &processors)
    var priority = sched_param()
    let batch: Int32 = 3
    _ = unsafeBitCast(choose, to: Scheduler.self)(0, batch, &priority)
  }
}

import JSON
import TestSupport
import Testing

/// Promise 7, as far as a loaded machine can tell; the figures come from `make bench`.
@Suite("Appends of many writers", .serialized)
struct LogFairnessTests {
  private func run(processes count: Int, threads: Int, seconds: Double) throws -> [JSONValue] {
    let folder = TemporaryFolder()
    let processes = try LoadProcesses(in: folder.path)
    for number in 1...count {
      try processes.start("write", "writer\(number)", ["threads": String(threads), "seconds": String(seconds)])
    }
    try processes.go()
    let results = try processes.results(withinSeconds: 120)
    print("fairness: \(results.map { $0.text() }.joined(separator: "\n  "))")
    for result in results { #expect(result["failures"]?.array == []) }
    return results
  }

  @Test("share what one sync costs, and two processes share the log", .timeLimit(.minutes(5)))
  func fair() throws {
    let seconds = Effort.pick(1.2, long: 30)
    let alone = try run(processes: 1, threads: 1, seconds: seconds)[0].count("perSecond")
    let together = try run(processes: 1, threads: 64, seconds: seconds)[0].count("perSecond")
    // Measured are five to twenty times; without a sync that is shared it is once.
    #expect(together > 2 * alone)
    let both = try run(processes: 2, threads: 32, seconds: seconds)
    let appended = try both.map { try $0.count("appended") }
    let all = appended.reduce(0, +)
    #expect(both.count == 2 && all > 0)
    for one in appended { #expect(one * 10 >= all * 3, "\(appended)") }
    // Nobody is starved: with one lock instead of two an append waits for up to a second.
    for result in both { #expect(try result.count("worstUs") < 2_000_000) }
  }
}

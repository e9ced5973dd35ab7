import CInotifyLimit
import JSON
import Service

/// Follows the log by bookmark, checks the order of what it is given, and measures how long each event was on its way.
struct ReadRole {
  private let log: any SharedLog
  private let barrier: Barrier
  private let label: String
  private let until: Int64
  private let patienceMilliseconds: Int

  init(_ options: LoadOptions) throws {
    if options.arguments.has("no-inotify") { cinotifylimit_reached() }
    log = try options.sharedLog()
    barrier = Barrier(options)
    label = options.label
    until = Int64(try options.integer("until", or: .max))
    patienceMilliseconds = try options.integer("patience-ms", or: 5_000)
  }

  func run() throws -> JSONObject {
    let follower = try log.follower()
    var checker = OrderChecker()
    var latencies = Latencies()
    try barrier.pass()
    var newsAt = MonotonicClock.nanoseconds()
    while checker.last < until {
      let events = try follower.next()
      let now = MonotonicClock.nanoseconds()
      for event in events {
        checker.pass(event.position)
        latencies.add(now - event.at)
      }
      if events.isEmpty {
        if now - newsAt > Int64(patienceMilliseconds) * 1_000_000 { break }
        // As every reader of the log does: the bell wakes, and once a second the clock.
        follower.wait(milliseconds: 1_000)
      } else {
        newsAt = now
      }
    }
    log.close()
    var result: JSONObject = ["label": .string(label)]
    result.merge(checker.members())
    result.merge(latencies.members())
    return result
  }
}

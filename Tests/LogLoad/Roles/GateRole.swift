import Glibc
import JSON
import SQLite
import Service

/// Takes the log's gate again and again, as FORMAT describes it and by no code of the product. While it has the gate,
/// nobody may write to the log or copy from its write-ahead log: it looks whether somebody does. Then it
/// checkpoints, where that is wanted.
struct GateRole {
  private let folder: String
  private let barrier: Barrier
  private let label: String
  private let every: UInt32
  private let seconds: Double
  private let isCheckpointing: Bool

  init(_ options: LoadOptions) throws {
    folder = try options.folder()
    barrier = Barrier(options)
    label = options.label
    every = UInt32(try options.integer("every-ms", or: 5)) * 1_000
    seconds = try options.seconds("seconds", or: 5)
    isCheckpointing = options.arguments.has("checkpoint")
  }

  func run() throws -> JSONObject {
    let gate = try GateByHand(folder: folder)
    let sqlite = try SQLiteConnection(path: folder + "/events.sqlite", mode: .readWrite)
    sqlite.ownCheckpoints()
    // A connection that has read nothing yet would checkpoint nothing.
    _ = try sqlite.row("SELECT max(position) FROM events") { $0.integer(0) }
    try barrier.pass()
    let deadline = MonotonicClock.nanoseconds() + Int64(seconds * 1e9)
    var rounds = 0
    var checkpoints = 0
    var complete = 0
    var intrusions = 0
    var failures: [String] = []
    var pagesMax = 0
    while MonotonicClock.nanoseconds() < deadline {
      gate.pass {
        let before = WalIndex(folder: folder)
        usleep(1_000)
        if WalIndex(folder: folder) != before { intrusions += 1 }
        guard isCheckpointing else { return }
        do throws(SQLiteError) {
          _ = try sqlite.row("SELECT max(position) FROM events") { $0.integer(0) }
          let (pages, copied) = try sqlite.checkpointPassively()
          checkpoints += 1
          complete += pages == copied ? 1 : 0
          pagesMax = max(pagesMax, pages)
        } catch { failures.append("\(error)") }
      }
      rounds += 1
      usleep(every)
    }
    return [
      "label": .string(label), "rounds": .count(rounds), "intrusions": .count(intrusions),
      "checkpoints": .count(checkpoints), "complete": .count(complete), "pagesMax": .count(pagesMax),
      "failures": .array(failures.prefix(5).map { .string($0) }),
    ]
  }
}

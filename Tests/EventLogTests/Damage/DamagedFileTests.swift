import EventLog
import Glibc
import Service
import TestSupport
import Testing

/// One bit that flips, one file that ends too early: what the disk does, not what a person does.
@Suite("A damaged file of the log", .serialized, .timeLimit(.minutes(14)))
struct DamagedFileTests {
  private enum Harm: CustomStringConvertible {
    case flip(String, at: Int, bit: Int)
    case cut(String, to: Int)

    var description: String {
      switch self {
      case .flip(let name, let place, let bit): "\(name): bit \(bit) of byte \(place)"
      case .cut(let name, let size): "\(name): cut to \(size) bytes"
      }
    }

    func change(_ name: String, _ bytes: inout [UInt8]) {
      switch self {
      case .flip(name, let place, let bit): bytes[place] ^= 1 << UInt8(bit)
      case .cut(name, let size): bytes.removeLast(bytes.count - size)
      default: break
      }
    }
  }

  private struct Tally: CustomStringConvertible {
    var harmless = 0
    var refusedAtOpen = 0
    /// By the kind of read that noticed it first.
    var refusedByReads: [String: Int] = [:]
    /// By the kind of read that gave something else than was written: none may.
    var served: [String: Int] = [:]
    /// By the kind of read that did not find what an index withheld. Only verification can notice that.
    var withheld: [String: Int] = [:]
    var faults: [String] = []

    var description: String {
      "\(harmless) harmless, \(refusedAtOpen) refused at open, reads refused \(refusedByReads), withheld \(withheld), served \(served)"
    }
  }

  /// - Returns: what the damage did to each kind of read: given right, refused, or given wrong.
  private func look(_ pristine: PristineLog, _ harm: Harm, _ tally: inout Tally) throws {
    let folder = TemporaryFolder(inMemory: true)
    try pristine.lay(into: folder.path + "/data", harm.change)
    var isRight = true
    /// What the first read that was not right said.
    var lament = ""
    // By a reader that was never here before. It opens first, as it changes nothing.
    do {
      let log = try LocalEventLog(folder: folder.path + "/data", access: .readOnly, parts: LogFixture.parts())
      for (kind, read) in Self.reads {
        do {
          switch try read(pristine, log) {
          case .right: break
          case .withheld:
            tally.withheld[kind, default: 0] += 1
            isRight = false
            lament += " the read \(kind) withholds."
          case .wrong:
            tally.served[kind, default: 0] += 1
            tally.faults.append("\(harm): \(kind) gives something else")
            isRight = false
          }
        } catch let error as LogReadError {
          isRight = false
          lament += " The read \(kind): \(error)."
          tally.refusedByReads[kind, default: 0] += 1
          if error.description.isEmpty { tally.faults.append("\(harm): refused without a word") }
        }
      }
    } catch let error as LogOpenError {
      isRight = false
      lament += " \(error)."
      tally.refusedAtOpen += 1
      if case .absent = error { tally.faults.append("\(harm): \(error)") }
    }
    let verdict = Result { () throws(LogVerifier.Failure) in try LogVerifier(folder: folder.path + "/data").verify() }
    switch verdict {
    case .success:
      if isRight {
        tally.harmless += 1
      } else {
        tally.faults.append("\(harm): verify proves what cannot be read.\(lament)")
      }
    case .failure(.damage(let damage)):
      if damage.position.value < 0 || damage.what.isEmpty { tally.faults.append("\(harm): \(damage)") }
    case .failure(.open): break
    case .failure(.stopped), .failure(.beyond), .failure(.otherChain):
      tally.faults.append("\(harm): verification ended by itself")
    }
  }

  private enum Finding {
    case right, withheld, wrong

    /// The worst of many.
    static func worst(of findings: some Sequence<Finding>) -> Finding {
      var worst = Finding.right
      for finding in findings where finding == .wrong || worst == .right { worst = finding }
      return worst
    }
  }

  private typealias Read = @Sendable (PristineLog, LocalEventLog) throws -> Finding

  /// Each kind of read gives what the untouched log gave, or says that it cannot.
  private static let reads: [(String, Read)] = [
    (
      "following",
      { pristine, log in
        var bookmark = Bookmark(startOf: log.identity)
        var found: [RecordedEvent] = []
        while case let events = try log.read(after: bookmark, limit: 64), !events.isEmpty {
          for event in events { bookmark = bookmark.passing(event) }
          found += events
        }
        return found == pristine.served.followed ? .right : .wrong
      }
    ),
    ("from a position", { try $1.read(after: .start, limit: 100_000) == $0.served.followed ? .right : .wrong }),
    (
      "of a stream",
      { pristine, log in
        try Finding.worst(
          of: pristine.streams.map { stream in
            let found = try log.read(stream: stream, after: 0, limit: 10_000)
            let whole = pristine.served.byStream[stream] ?? []
            return found == whole ? .right : whole.starts(with: found) ? .withheld : .wrong
          })
      }
    ),
    (
      "of an id",
      { pristine, log in
        try Finding.worst(
          of: pristine.ids.map { id in
            let found = try log.read(id: id)
            return found == pristine.served.byID[id] ? .right : found == nil ? .withheld : .wrong
          })
      }
    ),
    (
      "of a header",
      { pristine, log in
        try Finding.worst(
          of: pristine.digests.map { digest in
            let found = try log.header(digest: digest)
            return found == pristine.served.headers[digest] ? .right : found == nil ? .withheld : .wrong
          })
      }
    ),
  ]

  @Test("is found or harmless, and never read as if nothing were", arguments: [true, false])
  func anywhere(live: Bool) throws {
    let seed = Effort.seed()
    var random = SeededRandom(seed: seed)
    let pristine = try PristineLog(events: 150, live: live)
    var tally = Tally()
    let count = Effort.pick(50, long: 500)
    for number in 0..<count {
      let name = live && number % 2 == 1 ? "events.sqlite-wal" : "events.sqlite"
      let size = pristine.files[name]!.count
      let harm =
        number % 5 == 4
        ? Harm.cut(name, to: Int.random(in: 0..<size, using: &random))
        : Harm.flip(name, at: Int.random(in: 0..<size, using: &random), bit: Int.random(in: 0..<8, using: &random))
      try look(pristine, harm, &tally)
    }
    print("DamagedFileTests, seed \(seed), \(count) damages, write-ahead log \(live ? "live" : "emptied"): \(tally)")
    #expect(tally.faults.isEmpty, "seed \(seed): \(tally.faults.count), such as \(tally.faults.prefix(5))")
    #expect(tally.harmless < count)
  }

  /// Few bytes of a file, so that chance seldom meets them.
  @Test("is found where the index of headers does not find one")
  func indexOfHeaders() throws {
    let pristine = try PristineLog(events: 20, live: false)
    let digest = try #require(pristine.digests.first)
    // In the table, in its index, and in the seams of events.
    let places = pristine.files["events.sqlite"]!.ranges(of: digest).map(\.lowerBound)
    for place in places {
      var tally = Tally()
      try look(pristine, .flip("events.sqlite", at: place, bit: 2), &tally)
      #expect(tally.faults.isEmpty)
      #expect(tally.harmless == 0)
    }
  }

  /// What no event's digest covers by itself.
  @Test("is noticed at open where the log's own row was altered, so that nobody gets another pseudonym")
  func ownRow() throws {
    let pristine = try PristineLog(events: 20, live: false)
    let bytes = pristine.files["events.sqlite"]!
    let id = Array(pristine.bookmark.log.utf8)
    // The secret follows the id.
    let secret = try #require(bytes.firstRange(of: id)).upperBound
    for place in [secret, secret + 16, secret + 31] {
      let folder = TemporaryFolder(inMemory: true)
      try pristine.lay(into: folder.path + "/data") { name, bytes in if name == "events.sqlite" { bytes[place] ^= 4 } }
      for access in [LocalEventLog.Access.readOnly, .readWrite] {
        #expect(throws: LogOpenError.damaged(path: folder.path + "/data/events.sqlite", .altered(Position(1)))) {
          try LocalEventLog(folder: folder.path + "/data", access: access, parts: LogFixture.parts())
        }
      }
    }
  }
}

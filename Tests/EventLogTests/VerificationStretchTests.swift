import SQLite
import TestSupport
import Testing

@testable import EventLog

/// A verification reads stretches on several threads, and must tell what one reader from end to end would tell.
@Suite("A verification in stretches") struct VerificationStretchTests {
  /// Ten events.
  private func filled(_ folder: borrowing TemporaryFolder) throws -> SQLiteConnection {
    let log = try LogFixture.local(folder)
    _ = try log.append((1...10).map { LogFixture.draft("e\($0)", data: "{\"n\":\($0)}") })
    log.close()
    return try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite)
  }

  private func verifier(_ folder: borrowing TemporaryFolder, stretch: Int64 = 3) -> LogVerifier {
    var verifier = LogVerifier(folder: folder.path)
    verifier.stretch = stretch
    return verifier
  }

  private func proof(
    _ verifier: LogVerifier, from start: LogVerifier.Start = .beginning, threads: Int = 2
  ) throws -> LogVerifier.Proof {
    try verifier.verify(from: start, threads: threads) { _, _ in true }
  }

  @Test(
    "names the same first position wherever the stretches begin",
    arguments: [
      ("UPDATE events SET data = 'x' WHERE position IN (3, 4, 9)", 3),
      ("UPDATE events SET chain = zeroblob(32) WHERE position = 3", 3),
      ("UPDATE events SET chain = x'00' WHERE position = 6", 6),
      ("UPDATE events SET type = 'Other' WHERE position = 4", 4),
      ("DELETE FROM events WHERE position = 3", 3),
      ("DELETE FROM events WHERE position IN (6, 7)", 6),
      ("DELETE FROM events WHERE position = 1", 1),
      ("DELETE FROM events WHERE position BETWEEN 2 AND 9", 2),
      ("UPDATE events SET position = -5 WHERE position = 1", -5),
      ("UPDATE events SET position = 100 WHERE position = 10", 10),
    ] as [(String, Int64)], [1, 2, 3, 9, 10, 11] as [Int64])
  func damage(_ damage: (change: String, position: Int64), stretch: Int64) throws {
    let folder = TemporaryFolder()
    _ = try filled(folder)
    try LogFixture.change(folder.path, damage.change)
    for threads in 1...3 {
      #expect {
        try proof(verifier(folder, stretch: stretch), threads: threads)
      } throws: { error in
        guard case .damage(let found) = error as? LogVerifier.Failure else { return false }
        return found.position == Position(damage.position)
      }
    }
  }

  @Test("gives the same proof, and all blanks", arguments: [1, 3, 10, 100] as [Int64])
  func proof(stretch: Int64) throws {
    let folder = TemporaryFolder()
    _ = try filled(folder)
    try LogFixture.change(folder.path, "UPDATE events SET data = NULL, salt = NULL WHERE position IN (3, 4, 10)")
    let proof = try proof(verifier(folder, stretch: stretch))
    #expect(proof == (try LogVerifier(folder: folder.path).verify()))
    #expect(proof.erased == [Position(3), Position(4), Position(10)] && proof.events == 10)
  }

  @Test("goes on from a place that was proved, and refuses one that is not there any more")
  func place() throws {
    let folder = TemporaryFolder()
    let sqlite = try filled(folder)
    let whole = try proof(verifier(folder))
    let chain = try #require(try sqlite.row("SELECT chain FROM events WHERE position = 4") { $0.bytes(0) })
    let rest = try proof(verifier(folder), from: .place(.init(position: Position(4), chain: chain)))
    #expect(rest.events == 6 && rest.chain == whole.chain && rest.head == whole.head)
    #expect(try proof(verifier(folder), from: .place(.init(position: Position(10), chain: whole.chain))).events == 0)
    #expect(throws: LogVerifier.Failure.otherChain(Position(5))) {
      try proof(verifier(folder), from: .place(.init(position: Position(5), chain: chain)))
    }
    #expect(
      throws: LogVerifier.Failure.damage(.init(position: Position(11), what: "events are missing from here on"))
    ) { try proof(verifier(folder), from: .place(.init(position: Position(12), chain: whole.chain))) }
    #expect(try proof(verifier(folder), from: .position(Position(10))).events == 0)
    #expect(throws: LogVerifier.Failure.beyond(Position(11), head: Position(10))) {
      try proof(verifier(folder), from: .position(Position(11)))
    }
    // A start without a chain says nothing of what stands before it.
    try LogFixture.change(folder.path, "UPDATE events SET data = 'x' WHERE position = 2")
    #expect(try proof(verifier(folder), from: .position(Position(4))).events == 6)
    #expect(throws: LogVerifier.Failure.self) { try proof(verifier(folder), from: .position(Position(1))) }
  }

  @Test("stops when told to, with the place to go on from")
  func stop() throws {
    let folder = TemporaryFolder()
    _ = try filled(folder)
    #expect {
      try verifier(folder).verify(from: .position(Position(2))) { reached, head in
        #expect(reached == Position(2) && head == Position(10))
        return false
      }
    } throws: { error in
      guard case .stopped(let place) = error as? LogVerifier.Failure else { return false }
      return place.position == Position(2) && (try? proof(verifier(folder), from: .place(place)).events) == 8
    }
  }

  @Test("finds an entry of an index that names another event, in each index")
  func index() throws {
    for (column, index) in [("id", "the index of ids"), ("stream", "the index of streams")] {
      let folder = TemporaryFolder()
      let sqlite = try filled(folder)
      try sqlite.execute("PRAGMA writable_schema=ON")
      let root = try #require(
        try sqlite.row(
          "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_\(column == "id" ? 1 : 2)'"
        ) { $0.integer(0) })
      let columns = column == "id" ? "id" : "stream, version"
      try sqlite.execute("CREATE TABLE shadow (position INTEGER PRIMARY KEY, id TEXT, stream TEXT, version INTEGER)")
      try sqlite.execute(
        "INSERT INTO shadow SELECT position, id, stream, version + 20 * (position = 7) FROM events; "
          + "UPDATE shadow SET id = 'e77' WHERE position = 7; CREATE INDEX shadow_index ON shadow (\(columns))")
      // The two indexes change places: the file is whole, and the events are found where they are not.
      let other = try #require(
        try sqlite.row("SELECT rootpage FROM sqlite_schema WHERE name = 'shadow_index'") { $0.integer(0) })
      try sqlite.execute(
        "UPDATE sqlite_schema SET rootpage = \(root + other) - rootpage WHERE rootpage IN (\(root), \(other))")
      // Also where it stands before the first event to prove: a run that was stopped never came to its indexes.
      for start in [LogVerifier.Start.beginning, .position(Position(6)), .position(Position(8))] {
        #expect {
          try proof(verifier(folder), from: start)
        } throws: {
          "\($0)".contains("\(index) is not: an event would not be found")
        }
      }
    }
  }
}

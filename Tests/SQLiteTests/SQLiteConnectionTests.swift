import SQLite
import TestSupport
import Testing

@Suite("A connection") struct SQLiteConnectionTests {
  private func connection(_ folder: borrowing TemporaryFolder) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: folder.path + "/t.sqlite", mode: .create)
    try connection.execute("CREATE TABLE t (a, b)")
    return connection
  }

  @Test("gives back each value as it was bound, empty ones included")
  func values() throws {
    let folder = TemporaryFolder()
    let connection = try connection(folder)
    let values: [SQLiteValue] = [
      .null, .integer(.min), .integer(.max), .text("日本\u{0}x"), .text(""), .utf8(Array("é".utf8)), .utf8([] as [UInt8]),
      .blob([0, 255]), .blob([] as [UInt8]),
    ]
    for (index, value) in values.enumerated() {
      try connection.run("INSERT INTO t VALUES (?, ?)", [.integer(Int64(index)), value])
    }
    let types = try connection.rows("SELECT typeof(b) FROM t ORDER BY a") { $0.text(0) }
    #expect(types == ["null", "integer", "integer", "text", "text", "text", "text", "blob", "blob"])
    let read = try connection.rows("SELECT b FROM t ORDER BY a") { $0.optionalBytes(0) }
    #expect(read[0] == nil && read[3] == Array("日本\u{0}x".utf8) && read[4] == [] && read[7] == [0, 255])
    #expect(try connection.rows("SELECT b FROM t WHERE a IN (1, 2) ORDER BY a") { $0.integer(0) } == [.min, .max])
    #expect(try connection.row("SELECT b FROM t WHERE a = 99") { $0.integer(0) } == nil)
  }

  @Test("rolls a transaction back when its body throws, and commits it when it returns")
  func transactions() throws {
    struct Stop: Error {}
    let folder = TemporaryFolder()
    let connection = try connection(folder)
    #expect(throws: Stop.self) {
      try connection.transaction(immediate: true, failure: { _ in Stop() }) { () throws(Stop) in
        try! connection.run("INSERT INTO t VALUES (1, 1)", [])
        throw Stop()
      }
    }
    #expect(try connection.row("SELECT count(*) FROM t") { $0.integer(0) } == 0)
    try connection.transaction(immediate: true, failure: { $0 }) { () throws(SQLiteError) in
      try connection.run("INSERT INTO t VALUES (1, 1)", [])
    }
    #expect(try connection.row("SELECT count(*) FROM t") { $0.integer(0) } == 1)
  }

  @Test("says what failed, where and doing what, and never what was bound")
  func errors() throws {
    let folder = TemporaryFolder()
    let connection = try connection(folder)
    try connection.execute("CREATE UNIQUE INDEX u ON t (a)")
    try connection.run("INSERT INTO t VALUES (?, 1)", [.text("secret")])
    #expect {
      try connection.run("INSERT INTO t VALUES (?, 1)", [.text("secret")])
    } throws: { error in
      let error = error as? SQLiteError
      return error?.isConstraint == true && error?.description.contains("INSERT INTO t") == true
        && error?.description.contains("secret") == false
    }
    #expect { try SQLiteConnection(path: folder.path + "/absent", mode: .readOnly) } throws: {
      ($0 as? SQLiteError)?.doing == "open"
    }
    #expect { try connection.rows("SELECT nonsense") { $0.integer(0) } } throws: { "\($0)".contains("nonsense") }
  }

  @Test("tells how long the write-ahead log has become, and copies it only when told")
  func checkpoints() throws {
    let folder = TemporaryFolder()
    let connection = try SQLiteConnection(path: folder.path + "/t.sqlite", mode: .create)
    try connection.execute("PRAGMA journal_mode=WAL")
    connection.ownCheckpoints()
    try connection.execute("CREATE TABLE t (a)")
    var pages = connection.walPages
    #expect(pages > 0)
    for _ in 0..<1_200 { try connection.run("INSERT INTO t VALUES (zeroblob(4000))", []) }
    #expect(connection.walPages > 2_400, "the automatic checkpoint at 1,000 pages is off")
    pages = connection.walPages
    #expect(try connection.checkpointPassively() == (pages, pages))
    try connection.run("INSERT INTO t VALUES (1)", [])
    #expect(connection.walPages < 10, "the write-ahead log began anew")
  }
}

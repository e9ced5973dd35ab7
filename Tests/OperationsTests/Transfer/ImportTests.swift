import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog log import") struct ImportTests {
  private func copy(_ folder: String) throws -> [UInt8] {
    let result = Refundlog(["log", "export", "--lossless", "--data", folder])
    try #require(result.code == .success, "\(result.complained)")
    return Array(result.printed.utf8)
  }

  /// Imports these bytes into a folder.
  private func imported(_ bytes: [UInt8], into folder: String, _ more: String...) throws -> Refundlog {
    let place = TemporaryFolder()
    try Files.write(bytes, to: place.path + "/copy", mode: 0o600)
    return Refundlog(["log", "import", place.path + "/copy", "--data", folder] + more)
  }

  @Test("makes the same log, bit for bit: erased ones stay erased, unknown ones pass, and it can be written on")
  func roundTrip() throws {
    let filled = try FilledLog()
    let parent = TemporaryFolder()
    let folder = parent.path + "/made"
    let lines = try copy(filled.path)
    let result = try imported(lines, into: folder)
    #expect(result.code == .success && result.printed.contains("7 events"), "\(result.complained)")
    #expect(try FilledLog.dump(folder) == FilledLog.dump(filled.path))
    #expect(try copy(folder) == lines)
    #expect(FilledLog.names(folder) == ["events.sqlite", "log.writers"])
    let log = try LocalEventLog.open(folder, clock: .fixed(FilledLog.start))
    let before = try LocalEventLog.reading(filled.path)
    #expect(try log.head() == before.head())
    #expect(log.keyedDigest([[1]]) == before.keyedDigest([[1]]), "the secret is the same")
    let event = try #require(try log.read(id: EventID("notification/1")))
    #expect(try log.signedToken(of: event) != nil)
    let draft = EventDraft(
      id: EventID("new"), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0, data: Array("{}".utf8)
    )
    #expect(try log.append([draft]) == .recorded([.appended(Position(8))]))
    log.close()
    #expect(try LogVerifier(folder: folder).verify().head == Position(8))
  }

  @Test("takes standard input too, and an empty log")
  func input() throws {
    let empty = TemporaryFolder()
    try LocalEventLog.open(empty.path, clock: .fixed(FilledLog.start)).close()
    let place = TemporaryFolder()
    try Files.write(try copy(empty.path), to: place.path + "/copy", mode: 0o600)
    let descriptor = open(place.path + "/copy", O_RDONLY)
    defer { close(descriptor) }
    let result = Refundlog(
      ["log", "import", "-", "--data", place.path + "/new", "--json"], inputDescriptor: descriptor)
    #expect(result.code == .success && result.printed.contains(#""events":0,"head":0"#), "\(result.complained)")
    #expect(try FilledLog.dump(place.path + "/new") == FilledLog.dump(empty.path))
  }

  @Test("refuses a folder that has a log, or what is left of one, and one that somebody writes to")
  func occupied() throws {
    let filled = try FilledLog()
    let lines = try copy(filled.path)
    let result = try imported(lines, into: filled.path)
    #expect(result.code == .failure && result.complained.contains("mv \(filled.path) \(filled.path).old"))
    let left = TemporaryFolder()
    try Files.write([1], to: left.path + "/events.sqlite-wal")
    #expect(try imported(lines, into: left.path).code == .failure, "its pages would be taken for ours")
    let other = TemporaryFolder()
    let log = try LocalEventLog.open(other.path, clock: .fixed(0))
    #expect(try imported(lines, into: other.path).complained.contains("stop the services first"))
    log.close()
    #expect(try imported(lines, into: other.path).code == .failure)
  }

  @Test("a copy that goes less far than the log that stood there is for restore", arguments: [0, 1])
  func older(missing: Int) throws {
    let filled = try FilledLog()
    let lines = try copy(filled.path)
    if missing > 0 {
      let log = try LocalEventLog.open(filled.path, clock: .fixed(FilledLog.start))
      defer { log.close() }
      let draft = EventDraft(
        id: EventID("sent"), stream: StreamName("elsewhere"), type: "SomethingLater", occurredAt: 0,
        data: Array("{}".utf8))
      _ = try log.append([draft])
    }
    try Files.write([1], to: filled.path + "/cases-v4.sqlite")
    // The log's file only: bell and projection stay.
    #expect(system("rm '\(filled.path)'/events.sqlite*") == 0)
    let result = try imported(lines, into: filled.path)
    let names = FilledLog.names(filled.path)
    if missing > 0 {
      #expect(result.code == .failure && result.complained.contains("positions 8 to 8 are missing"))
      #expect(result.complained.contains("refundlog restore NEW --data \(filled.path)"))
      #expect(names.contains("cases-v4.sqlite") && names.contains("events.bell") && !names.contains("events.sqlite"))
    } else {
      #expect(result.code == .success, "\(result.complained)")
      #expect(names.contains("events.sqlite") && !names.contains("cases-v4.sqlite") && !names.contains("events.bell"))
    }
  }

  @Test("a folder that is being imported into takes no writer until it is done")
  func held() throws {
    let folder = TemporaryFolder()
    var pipe: [Int32] = [0, 0]
    #expect(Glibc.pipe(&pipe) == 0)
    let (input, path) = (pipe[0], folder.path)
    let importing = OwnedThread(name: "import") {
      _ = Refundlog(["log", "import", "-", "--data", path], inputDescriptor: input)
    }
    let deadline = MonotonicClock.milliseconds() + 10_000
    while access(folder.path + "/.incoming", F_OK) != 0, MonotonicClock.milliseconds() < deadline { usleep(1_000) }
    #expect(throws: StartError.self) { try LocalEventLog.open(path, clock: .fixed(0)) }
    close(pipe[1])
    importing.join()
    close(pipe[0])
    // Nothing came: the folder is as it was, and free.
    #expect(FilledLog.names(folder.path) == ["log.writers"])
    try LocalEventLog.open(path, clock: .fixed(0)).close()
  }

  /// What may have happened to a copy, with the line that is named and what is said of it.
  struct Harm: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var line: Int
    var words: String
    var code = ExitCode.damage
    var change: @Sendable (inout [String]) -> Void
  }

  private static func replacing(_ old: String, _ new: String, at line: Int) -> @Sendable (inout [String]) -> Void {
    { lines in
      precondition(lines[line - 1].contains(old), "the test changes something")
      lines[line - 1] = lines[line - 1].replacing(old, with: new)
    }
  }

  static let harms: [Harm] = [
    Harm(testDescription: "cut", line: 10, words: "the copy is cut") { $0.removeLast() },
    Harm(testDescription: "cut inside a line", line: 5, words: "no line of a lossless copy") { lines in
      lines = Array(lines[..<5])
      lines[4] = String(lines[4].dropLast(9))
    },
    Harm(testDescription: "empty", line: 1, words: "no line of a lossless copy") { $0 = [] },
    Harm(testDescription: "its beginning missing", line: 1, words: "begins with the log's identity") {
      $0.removeFirst()
    },
    Harm(testDescription: "a line missing", line: 4, words: "position 3 follows 1") { $0.remove(at: 3) },
    Harm(testDescription: "a line twice", line: 4, words: "position 1 follows 1") { $0.insert($0[2], at: 3) },
    Harm(
      testDescription: "its data changed", line: 3, words: "do not fit the digest", change: replacing("日", "本", at: 3)),
    Harm(
      testDescription: "its type changed", line: 6, words: "the chain",
      change: replacing("SomethingLater", "Outcome", at: 6)),
    Harm(
      testDescription: "its instant changed", line: 5, words: "the chain",
      change: replacing("1764500000000", "1764500000001", at: 5)),
    Harm(testDescription: "another secret", line: 3, words: "the chain") { lines in
      // The last member of the line; 32 other bytes.
      lines[0] = String(lines[0].dropLast(46)) + String(repeating: "A", count: 43) + "=\"}"
    },
    Harm(testDescription: "a header missing", line: 2, words: "a header that the seams name") { $0.remove(at: 1) },
    Harm(testDescription: "a header changed", line: 3, words: "a header that the seams name") { lines in
      lines[1] = #"{"header":1,"bytes":"AAAA"}"#
    },
    Harm(
      testDescription: "an unknown member", line: 4, words: "which this release does not know",
      change: replacing(#"{"position":2"#, #"{"position":2,"more":1"#, at: 4)),
    Harm(
      testDescription: "not base64", line: 4, words: "is no base64",
      change: replacing(#""salt":""#, #""salt":"*"#, at: 4)),
    Harm(testDescription: "more after the end", line: 10, words: "something follows the end") { $0.append("{}") },
    Harm(
      testDescription: "another end", line: 10, words: "tells another end",
      change: replacing(#""events":7"#, #""events":8"#, at: 10)),
    Harm(
      testDescription: "another form", line: 1, words: "use the newer release", code: .unavailable,
      change: replacing(#""form":1"#, #""form":2"#, at: 1)),
    Harm(
      testDescription: "another format", line: 1, words: "of format 2", code: .unavailable,
      change: replacing(#""format":1"#, #""format":2"#, at: 1)),
  ]

  @Test("names line and reason of what is not whole, and leaves no log", arguments: harms)
  func harmed(_ harm: Harm) throws {
    let filled = try FilledLog()
    var lines = String(decoding: try copy(filled.path), as: UTF8.self).split(separator: "\n").map(String.init)
    harm.change(&lines)
    let folder = TemporaryFolder()
    let result = try imported(Array((lines.joined(separator: "\n") + "\n").utf8), into: folder.path)
    #expect(result.code == harm.code)
    #expect(result.complained.contains("line \(harm.line): "), "\(result.complained)")
    #expect(result.complained.contains(harm.words), "\(result.complained)")
    #expect(FilledLog.names(folder.path) == ["log.writers"])
  }

  @Test("a line without end is refused before it fills the memory")
  func endless() throws {
    let folder = TemporaryFolder()
    let filled = try FilledLog()
    var bytes = Array(try copy(filled.path).prefix { $0 != UInt8(ascii: "\n") })
    bytes += [UInt8](repeating: 0x20, count: 34 << 20)
    let result = try imported(bytes, into: folder.path)
    #expect(result.code == .damage && result.complained.contains("longer than"))
  }

  @Test("what a killed import left behind is in nobody's way")
  func killed() throws {
    let filled = try FilledLog()
    let folder = TemporaryFolder()
    try Files.makeFolder(folder.path + "/.incoming")
    try Files.write([1, 2, 3], to: folder.path + "/.incoming/events.sqlite")
    try Files.write([1, 2, 3], to: folder.path + "/.incoming/events.sqlite-journal")
    #expect(try imported(try copy(filled.path), into: folder.path).code == .success)
    #expect(try FilledLog.dump(folder.path) == FilledLog.dump(filled.path))
  }
}

import EventLog
import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog log export") struct ExportTests {
  @Test("gives CloudEvents, one a line: all, after a position, of types, of a stream")
  func cloudEvents() throws {
    let filled = try FilledLog()
    func positions(_ words: String...) throws -> [String] {
      let result = Refundlog(["log", "export", "--data", filled.path] + words)
      try #require(result.code == .success, "\(result.complained)")
      return try result.printed.split(separator: "\n").map { line in
        try JSONValue(bytes: Array(line.utf8))["position"]?.string ?? "none"
      }
    }
    #expect(try positions() == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(try positions("--after", "5") == ["6", "7"])
    #expect(try positions("--after", "7") == [])
    #expect(try positions("--types", "Outcome,NotificationReceived") == ["1", "2", "3"])
    #expect(try positions("--stream", "elsewhere") == ["4", "6"])
    #expect(try positions("--stream", "elsewhere", "--after", "4", "--types", "SomethingLater") == ["6"])
    let lines = Refundlog(["log", "export", "--data", filled.path]).printed.split(separator: "\n")
    #expect(
      lines.map(String.init)
        == Refundlog(["log", "tail", "--json", "--data", filled.path]).printed.split(separator: "\n").map(String.init))
    let erased = try JSONValue(bytes: Array(lines[4].utf8))
    #expect(erased["erased"]?.bool == true && erased["data"] == nil)
    let unknown = Refundlog(["log", "export", "--stream", "purchase/none", "--data", filled.path])
    #expect(unknown.code == .success && unknown.printed.isEmpty)
    #expect(unknown.complained.contains("no event of the stream purchase/none was there"))
  }

  @Test("writes a file, and never over one")
  func file() throws {
    let filled = try FilledLog()
    let elsewhere = TemporaryFolder()
    let path = elsewhere.path + "/events.jsonl"
    let words = ["log", "export", "--data", filled.path, "--output", path]
    let result = Refundlog(words)
    #expect(result.code == .success && result.printed.contains("7 events"))
    let printed = Refundlog(["log", "export", "--data", filled.path]).printed
    #expect(String(decoding: try #require(Project.bytes(path)), as: UTF8.self) == printed)
    #expect(FilledLog.mode(path) == 0o600, "it holds what customers did")
    let again = Refundlog(words)
    #expect(again.code == .failure && again.complained.contains("nothing is written over"))
    #expect(FilledLog.names(elsewhere.path) == ["events.jsonl"])
  }

  @Test("a lossless copy holds the secret: 0600, not to a terminal, and of the whole log only")
  func lossless() throws {
    let filled = try FilledLog()
    let elsewhere = TemporaryFolder()
    let path = elsewhere.path + "/log.jsonl"
    let words = ["log", "export", "--lossless", "--data", filled.path]
    let terminal = Refundlog(words, isTerminal: true)
    #expect(terminal.code == .usage && terminal.printed.isEmpty && terminal.complained.contains("secret"))
    #expect(Refundlog(words + ["--after", "1"]).code == .usage)
    #expect(Refundlog(words + ["--output", path], isTerminal: true).code == .success)
    #expect(FilledLog.mode(path) == 0o600)
    let lines = try #require(Project.bytes(path)).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 1 + 1 + FilledLog.events + 1)
    let first = try JSONValue(bytes: Array(lines[0]))
    #expect(first["refundlog"] == "lossless copy" && first["form"]?.int64 == 1 && first["format"]?.int64 == 1)
    #expect(first["secret"]?.string?.utf8.count == 44)
    let end = try JSONValue(bytes: Array(lines.last!))
    #expect(end["end"]?.int64 == 7 && end["events"]?.int64 == 7 && end["headers"]?.int64 == 1)
    let blank = try JSONValue(bytes: Array(lines[6]))
    #expect(blank["position"]?.int64 == 5)
    #expect(["data", "dataBytes", "seams", "salt"].allSatisfy { blank[$0] == nil } && blank["digest"] != nil)
    #expect(try JSONValue(bytes: Array(lines[8]))["dataBytes"] == "Iv8i", "what is no text stands as bytes")
  }

  @Test("says what may not be meant: types that nobody writes, a position beyond the end; and exports all the same")
  func warnings() throws {
    let filled = try FilledLog()
    func export(_ words: String...) -> Refundlog { Refundlog(["log", "export", "--data", filled.path] + words) }
    let near = export("--types", "Outcom,Outcome")
    #expect(near.code == .success && near.printed.split(separator: "\n").count == 1)
    #expect(
      near.complained.contains("no event of the type Outcom was there") && near.complained.contains("mean Outcome?"))
    let far = export("--types", "Zzz")
    #expect(far.code == .success && far.printed.isEmpty)
    #expect(far.complained.contains("it knows NotificationReceived, ConsentRecorded"))
    // Of a newer release, and there; and one of this release that is not.
    #expect(export("--types", "SomethingLater,AlarmRaised").complained.isEmpty)
    let beyond = export("--after", "8")
    #expect(beyond.code == .success && beyond.printed.isEmpty)
    #expect(beyond.complained.contains("the log ends at position 7, so there is nothing after 8"))
    #expect(export("--after", "7").complained.isEmpty)
    let other = TemporaryFolder()
    let file = Refundlog(["log", "export", "--data", filled.path + "/events.sqlite", "--output", other.path + "/x"])
    #expect(file.code == .unavailable && file.complained.contains("events.sqlite is no folder"))
  }

  @Test(
    "gives nothing away that was altered, and nothing after what is missing",
    arguments: [
      ([], FilledLog.Fault.altered), ([], .missing), (["--types", "SomethingLater"], .altered),
      (["--lossless"], .altered),
      (["--lossless"], .missing), (["--lossless"], .header),
    ])
  func damage(words: [String], fault: FilledLog.Fault) throws {
    let filled = try FilledLog()
    try filled.damage(fault)
    let output = TemporaryFolder()
    let result = Refundlog(["log", "export", "--data", filled.path, "--output", output.path + "/x"] + words)
    #expect(result.code == .damage && result.complained.contains("events.sqlite is damaged"))
    #expect(FilledLog.names(output.path).isEmpty)
  }

  @Test("says what another one is writing, and removes what a killed one left") func drafts() throws {
    let filled = try FilledLog()
    let output = TemporaryFolder()
    let words = ["log", "export", "--data", filled.path, "--output", output.path + "/x"]
    do {
      let other = try FileDraft(of: output.path + "/x", mode: 0o600)
      let result = Refundlog(words)
      #expect(result.code == .unavailable && result.complained.contains("another program is writing it"))
      withExtendedLifetime(other) {}
    }
    #expect(FilledLog.names(output.path).isEmpty)
    try Files.write([1], to: output.path + "/x.refundlog-part")
    #expect(Refundlog(words).code == .success && FilledLog.names(output.path) == ["x"])
  }

  @Test(
    "says what cannot be done",
    arguments: [
      (["--after", "x"], ExitCode.usage, "allowed is a position"), (["--types", ","], .usage, "names no type"),
      (["--data", "/nowhere"], .unavailable, "there is no log at /nowhere"),
      (["--output", "/nowhere/x"], .unavailable, "/nowhere/x.refundlog-part"),
      (["--output", ""], .usage, "--output is empty"),
    ])
  func faults(words: [String], code: ExitCode, sentence: String) throws {
    let filled = try FilledLog()
    let result = Refundlog(
      ["log", "export"] + words + (words.contains("--data") ? [] : ["--data", filled.path]))
    #expect(result.code == code && result.complained.contains(sentence) && result.printed.isEmpty)
  }
}

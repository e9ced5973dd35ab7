import Contracts
import EventLog
import Glibc
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog log") struct LogCommandTests {
  private static func event(_ id: String, at instant: Int64 = 1_764_500_000_000) -> EventDraft {
    EventDraft(
      id: EventID(id), stream: StreamName("elsewhere"), type: "SomethingLater", schema: 3, occurredAt: instant,
      data: Array(#"{"x":1}"#.utf8))
  }

  /// A log with a notification, a withheld request and something unknown.
  private func filled(_ folder: borrowing TemporaryFolder) throws {
    let log = try LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000))
    let withheld = ConsumptionWithheld(
      request: "notification/r", reason: .noConsent, explanation: "nobody\u{1B} agreed")
    _ = try log.append([
      EventDraft(
        id: EventID("a"), stream: StreamName("purchase/Sandbox/1"), type: "NotificationReceived",
        kind: "REFUND/SEATS", occurredAt: 1_764_500_000_000, data: Array("{}".utf8)),
      EventDraft(
        id: EventID("b"), stream: StreamName("purchase/Sandbox/1"), type: "ConsumptionWithheld",
        occurredAt: 1_764_500_000_001, causation: EventID("a"), data: withheld.encoded()),
      Self.event("c", at: 0),
    ])
    log.close()
  }

  @Test("tail shows events in lines for people, oldest first, from a position on, and lets none steer the terminal")
  func tail() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let all = Refundlog(["log", "tail", "--data", folder.path])
    #expect(all.code == .success)
    #expect(
      all.printed == """
             1  2025-11-30T10:53:20.000Z  NotificationReceived  purchase/Sandbox/1  REFUND/SEATS
             2  2025-11-30T10:53:20.001Z  ConsumptionWithheld  purchase/Sandbox/1  noConsent, nobody\\u{1b} agreed
             3  1970-01-01T00:00:00.000Z  SomethingLater  elsewhere

        """)
    let rest = Refundlog(["log", "tail", "--after", "2"], variables: ["REFUNDLOG_DATA": folder.path])
    #expect(rest.printed.hasPrefix("     3  ") && rest.printed.split(separator: "\n").count == 1)
    #expect(Refundlog(["log", "tail", "--after", "3", "--data", folder.path]).printed.isEmpty)
  }

  @Test("tail shows events as CloudEvents for machines, unknown ones untouched")
  func json() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let lines = Refundlog(["log", "tail", "--json", "--data", folder.path]).printed.split(separator: "\n")
    #expect(lines.count == 3)
    let withheld = try JSONValue(bytes: Array(lines[1].utf8))
    #expect(withheld["type"]?.string == "refundlog.consumption.withheld.v1" && withheld["position"]?.string == "2")
    #expect(withheld["causationid"]?.string == "a" && withheld["subject"]?.string == "purchase/Sandbox/1")
    let later = try JSONValue(bytes: Array(lines[2].utf8))
    #expect(later["type"]?.string == "refundlog.something.later.v3" && later["data"]?.text() == #"{"x":1}"#)
  }

  /// What happens to a log under a reader, by the sentence it must cause.
  enum Mishap: CaseIterable { case replaced, restored }

  @Test("tail that follows notices a log that was replaced or restored, and says so", arguments: Mishap.allCases)
  func mishaps(_ mishap: Mishap) throws {
    let folder = TemporaryFolder()
    let kept = TemporaryFolder()
    let log = try LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000))
    _ = try log.append([Self.event("a")])
    log.close()
    #expect(system("cp \(folder.path)/events.sqlite* \(kept.path)/") == 0)
    let again = try LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000))
    _ = try again.append([Self.event("b")])
    again.close()

    var printed: [String] = []
    var complained = ""
    let code = RefundlogProgram(
      .init(
        print: { line in
          printed.append(line)
          guard printed.count == 2 else { return }
          // The second line has been shown: now the log becomes another.
          _ = system("rm \(folder.path)/events.*")
          if mishap == .restored { _ = system("cp \(kept.path)/events.sqlite* \(folder.path)/") }
          guard let other = try? LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000)) else { return }
          let restored = EventDraft(
            id: EventID("restored/1"), stream: StreamName("log"), type: "LogRestored", occurredAt: 0,
            data: LogRestored(backupAt: 0, head: 1).encoded())
          _ = try? other.append(mishap == .restored ? [restored] : [Self.event("z")])
          other.close()
        }, complain: { complained += $0 }, variables: [:], programs: "/nowhere")
    ).run(["log", "tail", "--follow", "--data", folder.path])
    #expect(code == .failure && printed.count == 2)
    #expect(complained.contains(mishap == .replaced ? "another log is here now" : "the log was restored from a backup"))
    #expect(complained.contains("from the beginning"))
  }

  @Test("verify proves the log for people and for machines")
  func verify() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let words = Refundlog(["log", "verify", "--data", folder.path])
    #expect(words.code == .success && words.printed.contains("3 events, nothing altered, removed or inserted"))
    let json = try JSONValue(bytes: Array(Refundlog(["log", "verify", "--json", "--data", folder.path]).printed.utf8))
    #expect(json["events"]?.int64 == 3 && json["head"]?.int64 == 3 && json["erased"]?.int64 == 0)
  }

  @Test("verify goes on from a place with the chain that was proved there, and says what it proves")
  func verifyFrom() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let verify = ["log", "verify", "--data", folder.path]
    let chain = try #require(
      try JSONValue(bytes: Array(Refundlog(verify + ["--json"]).printed.utf8))["chain"]?.string)
    let log = try LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000))
    _ = try log.append([Self.event("d"), Self.event("e")])
    log.close()
    let rest = Refundlog(verify + ["--from", "3", "--chain", chain])
    #expect(rest.code == .success && rest.printed.contains("2 events, nothing altered"))
    #expect(rest.printed.contains("begun after position 3: with the proof that gave its chain, the whole log"))
    let json = try JSONValue(bytes: Array(Refundlog(verify + ["--from", "3", "--json"]).printed.utf8))
    #expect(json["events"]?.int64 == 2 && json["head"]?.int64 == 5 && json["after"]?.int64 == 3)
    #expect(
      Refundlog(verify + ["--from", "3"]).printed.contains("of what stands before only the indexes were looked at"))
    let other = Refundlog(verify + ["--from", "2", "--chain", chain])
    #expect(other.code == .failure && other.complained.contains("the chain given is not the one at position 2"))
    let beyond = Refundlog(verify + ["--from", "9"])
    #expect(beyond.code == .failure && beyond.printed.isEmpty)
    #expect(beyond.complained.contains("the log ends at position 5, and position 9 is beyond it"))
    #expect(Refundlog(verify + ["--chain", chain]).code == .usage)
    #expect(Refundlog(verify + ["--from", "3", "--chain", "12"]).complained.contains("allowed are the 64 digits"))
  }

  @Test("verify names the damage for machines too, with the code of it")
  func verifyDamage() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let verify = ["log", "verify", "--json", "--data", folder.path]
    let sqlite = try SQLiteConnection(path: folder.path + "/events.sqlite", mode: .readWrite)
    try sqlite.execute("DROP TRIGGER events_update")
    func told() throws -> JSONValue {
      let result = Refundlog(verify)
      #expect(result.code == .damage && result.complained.contains("damaged"))
      return try JSONValue(bytes: Array(result.printed.utf8))
    }
    let guards = try told()
    #expect(guards["damaged"]?.bool == true && guards["position"]?.int64 == 3)
    #expect(guards["what"]?.string?.contains("the trigger events_update is missing") == true)
    try sqlite.execute("UPDATE events SET type = 'Other' WHERE position = 2")
    #expect(try told()["position"]?.int64 == 2)
    try Files.write([UInt8](repeating: 7, count: 20_000), to: folder.path + "/events.sqlite")
    unlink(folder.path + "/events.sqlite-wal")
    let garbage = try told()
    #expect(garbage["position"] == nil && garbage["what"]?.string?.contains("restore a backup") == true)
  }

  /// Whatever has become of the file, and whichever command finds it.
  @Test(
    "each command says the same of a file that is no log any more, or of a newer format, with the same code",
    arguments: ["garbage", "short", "table", "newer"])
  func codes(harm: String) throws {
    let folder = TemporaryFolder()
    let place = TemporaryFolder()
    try filled(folder)
    let path = folder.path + "/events.sqlite"
    let sqlite = try SQLiteConnection(path: path, mode: .readWrite)
    switch harm {
    case "newer": try sqlite.execute("PRAGMA user_version=2")
    case "table":
      try sqlite.execute(
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'type TEXT', 'tpye TEXT') WHERE name = 'events'"
      )
    case "short":
      try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(truncate(path, 12_000) == 0)
    default: try Files.write([UInt8](repeating: 7, count: 20_000), to: path)
    }
    if harm != "newer", harm != "table" { unlink(path + "-wal") }
    for words in [
      ["log", "verify"], ["log", "tail"], ["log", "export"], ["log", "export", "--lossless"], ["log", "stats"],
      ["backup", place.path + "/backup"], ["cases"], ["rebuild"], ["resume"], ["restore", path],
    ] {
      let result = Refundlog(words + ["--data", words[0] == "restore" ? place.path + "/new" : folder.path])
      #expect(result.code == (harm == "newer" ? .unavailable : .damage), "\(words): \(result.complained)")
      let sentence = harm == "newer" ? "has format 2, this program reads up to 1" : "damaged"
      #expect(result.complained.contains(sentence), "\(words): \(result.complained)")
      #expect(!result.complained.contains("SQLite code"), "\(words): \(result.complained)")
    }
    do throws(StartError) {
      try LocalEventLog.open(folder.path, clock: .system).close()
      Issue.record("it opened")
    } catch { #expect(error.code == (harm == "newer" ? .unavailable : .damage), "\(error)") }
  }

  @Test("verify takes a blank that a CustomerErased tells of, and names the first one that none tells of")
  func blanks() throws {
    let folder = TemporaryFolder()
    let log = try LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000))
    _ = try log.append((1...5).map { Self.event("e\($0)") })
    _ = try log.erase([EventID("e2"), EventID("e4")])
    func tell(_ positions: [Int64], in stream: String) throws {
      _ = try log.append([
        EventDraft(
          id: EventID("erased/\(stream)"), stream: StreamName(stream), type: "CustomerErased", occurredAt: 0,
          data: CustomerErased(positions: positions, by: "operator", reason: "asked").encoded())
      ])
    }
    try tell([2], in: "customer/aa")
    let one = Refundlog(["log", "verify", "--data", folder.path])
    #expect(one.code == .damage && one.complained.contains("position 4: it is blank and no CustomerErased"))
    try tell([4], in: "customer/ff")
    #expect(Refundlog(["log", "verify", "--data", folder.path]).printed.contains("erased: 2"))
    log.close()
  }

  @Test(
    "says what cannot be done, with the code of it",
    arguments: [
      (["log", "tail", "--after", "x"], ExitCode.usage, "allowed is a position"),
      (["log", "tail", "--data", "/nowhere"], .unavailable, "there is no log at /nowhere"),
      (["log", "verify", "--data", "/nowhere"], .unavailable, "there is no log at /nowhere"),
      (["log", "tail", "--settings", "/nowhere"], .settings, "/nowhere: cannot open"),
    ])
  func faults(words: [String], code: ExitCode, sentence: String) {
    let result = Refundlog(words)
    #expect(result.code == code && result.complained.contains(sentence) && result.printed.isEmpty)
  }
}

import Contracts
import EventLog
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog") struct RefundlogProgramTests {
  /// Runs it in this process.
  private func run(
    _ words: [String], variables: [String: String] = [:]
  ) -> (code: ExitCode, printed: String, complained: String) {
    var printed = ""
    var complained = ""
    let code = RefundlogProgram(
      .init(
        print: { printed += $0 }, complain: { complained += $0 }, variables: variables, programs: "/nowhere")
    ).run(words)
    return (code, printed, complained)
  }

  /// A log with a statement of evidence and a withheld request.
  private func filled(_ folder: borrowing TemporaryFolder) throws {
    let log = try LocalEventLog.open(folder.path, clock: .fixed(1_764_500_000_000))
    let withheld = ConsumptionWithheld(request: "notification/r", reason: .noConsent, explanation: "nobody agreed")
    _ = try log.append([
      EventDraft(
        id: EventID("a"), stream: StreamName("purchase/Sandbox/1"), type: "NotificationReceived",
        kind: "REFUND/SEATS", occurredAt: 1_764_500_000_000, data: Array("{}".utf8)),
      EventDraft(
        id: EventID("b"), stream: StreamName("purchase/Sandbox/1"), type: "ConsumptionWithheld",
        occurredAt: 1_764_500_000_001, causation: EventID("a"), data: withheld.encoded()),
      EventDraft(
        id: EventID("c"), stream: StreamName("elsewhere"), type: "SomethingLater", schema: 3, occurredAt: 0,
        data: Array(#"{"x":1}"#.utf8)),
    ])
    log.close()
  }

  @Test("shows events in lines for people, oldest first, from a position on")
  func tail() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let all = run(["log", "tail", "--data", folder.path])
    #expect(all.code == .success)
    #expect(
      all.printed == """
             1  2025-11-30T10:53:20.000Z  NotificationReceived  purchase/Sandbox/1  REFUND/SEATS
             2  2025-11-30T10:53:20.001Z  ConsumptionWithheld  purchase/Sandbox/1  noConsent, nobody agreed
             3  1970-01-01T00:00:00.000Z  SomethingLater  elsewhere

        """)
    let rest = run(["log", "tail", "--after", "2"], variables: ["REFUNDLOG_DATA": folder.path])
    #expect(rest.printed.hasPrefix("     3  ") && rest.printed.split(separator: "\n").count == 1)
  }

  @Test("shows events as CloudEvents for machines, unknown ones untouched")
  func json() throws {
    let folder = TemporaryFolder()
    try filled(folder)
    let lines = run(["log", "tail", "--json", "--data", folder.path]).printed.split(separator: "\n")
    #expect(lines.count == 3)
    let withheld = try JSONValue(bytes: Array(lines[1].utf8))
    #expect(withheld["type"]?.string == "refundlog.consumption.withheld.v1" && withheld["position"]?.string == "2")
    #expect(withheld["causationid"]?.string == "a" && withheld["subject"]?.string == "purchase/Sandbox/1")
    let later = try JSONValue(bytes: Array(lines[2].utf8))
    #expect(later["type"]?.string == "refundlog.something.later.v3" && later["data"]?.text() == #"{"x":1}"#)
  }

  @Test(
    "says what is not understood, and ends with the code of it",
    arguments: [
      (["log"], ExitCode.usage, "is no command"), (["nonsense"], .usage, "is no command"),
      (["log", "tail", "--folow"], .usage, "did you mean --follow?"),
      (["log", "tail", "--after", "x"], .usage, "allowed is a position"),
      (["log", "verify", "extra"], .usage, "extra is not understood"),
      (["log", "tail", "--data", "/nowhere"], .unavailable, "there is no log at /nowhere"),
      (["log", "verify", "--data", "/nowhere"], .unavailable, "there is no log at /nowhere"),
    ])
  func faults(words: [String], code: ExitCode, sentence: String) {
    let result = run(words)
    #expect(result.code == code && result.complained.contains(sentence) && result.printed.isEmpty)
  }

  @Test("explains itself")
  func help() {
    #expect(run(["--help"]).code == .success && run(["--help"]).printed.contains("refundlog log verify"))
    #expect(run([]).code == .usage)
  }
}

import Contracts
import EventLog
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("refundlog cases and case") struct CaseListTests {
  /// A line of a table with one bar between its cells, however wide the columns are.
  private static func cells(_ line: Substring) -> String {
    line.split(separator: "  ", omittingEmptySubsequences: true).map { $0.drop { $0 == " " } }.joined(separator: "|")
  }

  @Test("lists cases with the time that is left, what is due first at the top")
  func list() throws {
    let rig = try CaseRig()
    try rig.notification(number: 1)
    try rig.notification(number: 2, id: "2000000000000002", signedAt: CaseRig.start - 6 * CaseRig.hour)
    try rig.notification("REFUND", number: 3, id: "2000000000000003", reason: nil)
    let lines = try rig.run("cases").printed.split(separator: "\n").map(Self.cells)
    #expect(lines.count == 4 && lines[0].hasPrefix("CASE|APP"))
    #expect(lines[1].contains("Production/2000000000000002") && lines[1].contains("|in 4 h 50 min|in 5 h|"))
    #expect(lines[2].contains("Production/2000000000000001") && lines[2].contains("|in 10 h 50 min|in 11 h|"))
    #expect(lines[3].contains("decided") && lines[3].contains("refunded"))
    let late = try rig.run("cases", at: CaseRig.start + 12 * CaseRig.hour - 60_000).printed.split(separator: "\n")
    #expect(late.contains { Self.cells($0).contains("|late since 9 min|in 1 min|") })
  }

  @Test("finds by state, app and deadline, page by page")
  func search() throws {
    let rig = try CaseRig()
    try rig.notification(number: 1)
    try rig.notification(number: 2, id: "2000000000000002", signedAt: CaseRig.start - 6 * CaseRig.hour)
    try rig.notification("REFUND", number: 3, id: "2000000000000003", reason: nil)
    #expect(try rig.run("cases", "--state", "decided").printed.split(separator: "\n").count == 2)
    #expect(try rig.run("cases", "--due-before", "6h").printed.split(separator: "\n").count == 2)
    #expect(try rig.run("cases", "--app", "com.example.other").printed == "No case fits.\n")
    let first = try rig.run("cases", "--limit", "1", "--json")
    let page = try JSONValue(bytes: Array(first.printed.utf8))
    #expect(page["cases"]?.array?.count == 1 && page["next"]?.string != nil)
    let rest = try rig.run("cases", "--after", try #require(page["next"]?.string)).printed
    #expect(rest.contains("2000000000000001") && !rest.contains("2000000000000002"))
    for (words, sentence) in [
      (["--state", "opne"], "did you mean open?"), (["--due-before", "soon"], "a span such as 90m"),
      (["--limit", "201"], "allowed is 1 to 200"), (["--after", "x"], "not one that was given out"),
    ] {
      let result = try rig.run("cases", words[0], words[1])
      #expect(result.code == .usage && result.complained.contains(sentence), "\(result.complained)")
    }
  }

  @Test(
    "reads one case aloud; no reason and an unknown one are different",
    arguments: [
      (nil, "None given: Apple sent no reason."),
      ("OF_TOMORROW", "OF_TOMORROW: a word of Apple that this release does not know."),
      ("LEGAL", "LEGAL: a legal reason."),
    ])
  func story(reason: String?, sentence: String) throws {
    let rig = try CaseRig()
    let request = try rig.notification(reason: reason)
    try rig.answered(request)
    let text = try rig.run("case", "2000000000000001").printed
    #expect(text.hasPrefix("Case Production/2000000000000001 of com.example.app: answered\n"))
    #expect(text.contains("  2 × gems, Consumable, 9.99 USD, storefront USA\n"))
    #expect(text.contains("Why they ask\n  \(sentence)\n"))
    #expect(text.contains("  Attempt 1, accepted, Apple replied 202 on "))
    #expect(text.contains("    {\"customerConsented\":true}\n      deliveryStatus  the back end said so\n"))
    #expect(text.contains("What came of it\n  Apple has not decided.\n"))
    #expect(text.contains("Timeline\n  1  ") && !text.contains("Until when"))
    let json = try JSONValue(bytes: Array(try rig.run("case", "Production/2000000000000001", "--json").printed.utf8))
    #expect(json["requests"]?.array?.first?["attempts"]?.array?.count == 1)
  }

  @Test("tells what an open request waits for, and until when")
  func open() throws {
    let rig = try CaseRig()
    try rig.notification()
    let text = try rig.run("case", "purchase/Production/2000000000000001").printed
    #expect(text.contains("What we said, and why\n  Nothing yet.\n"))
    #expect(text.contains("due in 10 h 50 min (") && text.contains("closed in 11 h ("))
    #expect(text.contains("  It waits for "))
  }

  @Test("says that sending is paused since a restore, and which request may have been answered before it")
  func restored() throws {
    let rig = try CaseRig()
    try rig.notification()
    _ = try rig.log.append([
      EventDraft(
        ofLog: LogRestored(backupAt: CaseRig.start + 1, head: 1), id: "restored/1", at: CaseRig.start + CaseRig.hour)
    ])
    let sentence =
      "Sending is paused since the restore of 2026-11-30T01:53:20.000Z: nothing goes to Apple until refundlog resume."
    #expect(try rig.run("cases").printed.hasPrefix(sentence + "\n"))
    let text = try rig.run("case", "2000000000000001").printed
    #expect(text.contains("\n\(sentence)\n"))
    #expect(text.contains("It may have been answered before the restore: what was sent after the backup is not known."))
    let resumed = Refundlog(["resume", "--data", rig.folder.path])
    #expect(resumed.code == .success, "\(resumed.complained)")
    #expect(try !rig.run("cases").printed.contains("paused"))
    #expect(try rig.run("case", "2000000000000001").printed.contains("It may have been answered before the restore"))
  }

  @Test("says where there is no such case, or one in each environment")
  func names() throws {
    let rig = try CaseRig()
    try rig.notification(number: 1)
    try rig.notification(number: 2, environment: "Sandbox")
    let both = try rig.run("case", "2000000000000001")
    #expect(both.code == .failure)
    #expect(both.complained.contains("write Production/2000000000000001 or Sandbox/2000000000000001"))
    #expect(try rig.run("case", "Sandbox/2000000000000001").code == .success)
    #expect(try rig.run("case", "7").complained.contains("there is no case 7"))
    #expect(try rig.run("case", "sandbox/7").code == .usage)
    let nowhere = Refundlog(["cases", "--data", "/nowhere"])
    #expect(nowhere.code == .unavailable && nowhere.complained.contains("there is no log at /nowhere"))
  }
}

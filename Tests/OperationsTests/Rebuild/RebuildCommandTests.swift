import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations
@testable import Responder

@Suite("refundlog rebuild") struct RebuildCommandTests {
  @Test("makes the projection anew, in lines and as one object, and cases are what they were") func rebuild() throws {
    let rig = try CaseRig()
    try rig.notification()
    try rig.notification("REFUND", number: 2, id: "2000000000000002")
    let before = try rig.run("cases", "--json")
    let path = ProjectionFiles(folder: rig.folder.path).path
    let old = try #require(FileIdentity(path: path))
    let told = try rig.run("rebuild")
    #expect(told.code == .success, "\(told.complained)")
    #expect(told.printed.hasPrefix("\(path) is new: 2 events in "))
    #expect(told.complained.contains("looks for cases, position 2 of 2"))
    #expect(FileIdentity(path: path) != old)
    let report = try rig.run("rebuild", "--json")
    let json = try JSONValue(bytes: Array(report.printed.utf8))
    #expect(json["events"] == 2 && json["stuck"] == 0 && json["resumed"] == false)
    #expect(json["eventsPerSecond"]?.int64 != nil && json["seconds"]?.number != nil)
    #expect(json["peakMemoryBytes"]?.int64 ?? 0 > 1 << 20)
    #expect(try rig.run("cases", "--json").printed == before.printed)
  }

  @Test("says why it cannot: no log, another one under way") func refusals() throws {
    let rig = try CaseRig()
    #expect(Refundlog(["rebuild", "--data", rig.folder.path + "/none"]).code == .unavailable)
    let other = try FileLock(ProjectionFiles(folder: rig.folder.path).builderLock)
    #expect(other.hold())
    let refused = try rig.run("rebuild")
    #expect(refused.code == .unavailable)
    #expect(refused.complained.contains("is being made by another process"))
    other.release()
    #expect(try rig.run("rebuild").code == .success)
  }

  @Test("draws a bar over itself on a terminal, and a line now and then elsewhere") func telling() {
    func progress(_ done: Int64, _ phase: RebuildProgress.Phase = .listing) -> RebuildProgress {
      RebuildProgress(phase: phase, done: done, total: 1_000, head: 1_000)
    }
    var lines = RebuildTelling(isTerminal: false)
    #expect(lines.text(progress(0), at: 0) == "0 %  looks for cases, position 0 of 1000, head 1000, 0 events/s\n")
    #expect(lines.text(progress(400), at: 1_999) == nil)
    #expect(lines.text(progress(500), at: 2_000)?.hasPrefix("22 %  looks for cases, position 500 of 1000") == true)
    #expect(lines.text(progress(10, .folding), at: 2_001)?.contains("folds, stream 10 of 1000") == true)
    #expect(lines.end == "")
    var bar = RebuildTelling(isTerminal: true)
    #expect(bar.text(progress(1_000), at: 0)?.hasPrefix("\r\u{1B}[K█████████████░") == true)
    #expect(bar.text(progress(1_000), at: 99) == nil)
    #expect(bar.end == "\r\u{1B}[K")
  }
}

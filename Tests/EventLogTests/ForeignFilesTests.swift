import Glibc
import Service
import TestSupport
import Testing

@testable import EventLog

/// What somebody who may write into the data folder can lay there: none of it is waited for, written through, or trusted.
@Suite("Something else in the place of the log's files", .timeLimit(.minutes(5))) struct ForeignFilesTests {
  @Test(
    "is refused with a sentence, and nothing waits at a pipe",
    arguments: ["events.sqlite", "events.bell", "events.gate", "events.next", "log.writers"])
  func pipe(name: String) throws {
    let folder = TemporaryFolder()
    #expect(mkfifo("\(folder.path)/\(name)", 0o600) == 0)
    #expect {
      try LogFixture.local(folder).close()
    } throws: { "\($0)".contains("it is no file") }
  }

  @Test("does not keep readers and verification waiting", arguments: ["events.sqlite", "events.bell"])
  func reading(name: String) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    _ = try log.append([draft("a"), draft("b")])
    log.close()
    remove("\(folder.path)/\(name)")
    #expect(mkfifo("\(folder.path)/\(name)", 0o600) == 0)
    let found = Result { try LogVerifier(folder: folder.path).verify().events }
    // Without the bell there is nothing to compare with; without the file there is no log.
    #expect((try? found.get()) == (name == "events.bell" ? 2 : nil))
  }

  @Test("is not written through where it is a link", arguments: ["events.bell", "events.gate", "log.writers"])
  func link(name: String) throws {
    let folder = TemporaryFolder()
    let target = folder.path + "/elsewhere"
    try Files.write(Array("mine".utf8), to: target, mode: 0o600)
    #expect(symlink(target, "\(folder.path)/\(name)") == 0)
    #expect {
      try LogFixture.local(folder).close()
    } throws: { "\($0)".contains("it is a link") }
    #expect(Project.bytes(target) == Array("mine".utf8))
  }

  @Test("a bell that became a pipe under a running log delays readers, and no append") func bellUnderWay() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    remove(folder.path + "/events.bell")
    #expect(mkfifo(folder.path + "/events.bell", 0o600) == 0)
    _ = try log.append([draft("b")])
    #expect(try log.head().position == Position(2))
  }

  @Test(
    "locks that were removed under a running log are taken anew, before anything more is written",
    arguments: [["events.gate", "events.next"], ["log.writers"], ["events.gate", "events.next", "log.writers"]])
  func removedLocks(names: [String]) throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    defer { log.close() }
    _ = try log.append([draft("a")])
    for name in names { remove("\(folder.path)/\(name)") }
    _ = try log.append([draft("b")])
    // Who comes now meets the same locks: it waits for turns at the same gate, and finds that somebody writes.
    #expect(throws: FileError.self) { try LogHold(folder: folder.path, .alone) }
    let gate = try Gate(LogFiles(folder: folder.path))
    let answer = gate.pass { _ in
      let answer = Monitor<Bool>(false)
      log.submit([draft("c")], expecting: [:]) { _ in answer.change { $0 = true } }
      #expect(
        answer.wait(until: MonotonicClock.milliseconds() + 300) { $0 ? true : nil } == nil, "it waits for its turn")
      return answer
    }
    #expect(answer.wait(until: MonotonicClock.milliseconds() + 60_000) { $0 ? true : nil } == true)
  }

  private func draft(_ id: String) -> EventDraft {
    EventDraft(id: EventID(id), stream: StreamName("s"), type: "T", occurredAt: 1, data: Array("{}".utf8))
  }
}

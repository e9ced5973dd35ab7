import EventLog
import Glibc
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

/// What people read when a command meets a disk, a pipe or a place that is not as it must be.
@Suite("A command of refundlog", .serialized, .timeLimit(.minutes(3)))
final class CommandDiskTests {
  /// A file system in memory of its own, where this process may mount one.
  private final class Mount {
    static let isPossible: Bool = (try? Mount(in: TemporaryFolder().path, kilobytes: 64)) != nil

    let path: String

    init(in folder: String, kilobytes: Int) throws {
      path = folder + "/disk"
      try Files.makeFolder(path)
      guard try run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path]).code == 0 else {
        throw FileError(path: path, doing: "mount")
      }
    }

    deinit { _ = try? run("/bin/umount", ["-l", path]) }

    func makeReadOnly() throws { try #require(run("/bin/mount", ["-o", "remount,ro", path]).code == 0) }
  }

  private let folder = TemporaryFolder()
  private var data: String { folder.path + "/data" }

  /// Some 400 kB.
  private func fill() throws {
    let log = try LocalEventLog.open(data, clock: .system)
    let text = String(repeating: "0123456789", count: 100)
    _ = try log.append(
      (1...300).map {
        EventDraft(
          id: EventID("note/\($0)"), stream: StreamName("app/com.example"), type: "Noted", occurredAt: $0,
          data: Array("{\"n\":\"\(text)\"}".utf8))
      })
    log.close()
  }

  private func refundlog(_ words: String...) throws -> (code: Int32, output: String) {
    try run("\(Programs.folder)/refundlog", words)
  }

  private func shell(_ command: String) throws -> (code: Int32, output: String) {
    try run("/bin/bash", ["-c", command])
  }

  // MARK: Where the words go

  @Test("says in one sentence that standard output takes no more") func fullOutput() throws {
    try fill()
    for words in ["log export", "log tail", "log verify", "log stats --json", "help"] {
      let data = words == "help" ? "" : "--data \(data)"
      let (code, output) = try shell("\(Programs.folder)/refundlog \(words) \(data) >/dev/full")
      #expect(code == ExitCode.unavailable.rawValue, "\(words)")
      #expect(output == "refundlog: standard output cannot be written: No space left on device\n", "\(words)")
    }
  }

  @Test("says that a file may not grow, and leaves nothing of it") func limitedFile() throws {
    try fill()
    for words in ["backup \(folder.path)/copy", "log export --output \(folder.path)/copy"] {
      let result = try shell("ulimit -f 100; \(Programs.folder)/refundlog \(words) --data \(data)")
      #expect(result.code == 69 && !result.output.isEmpty, "\(result)")
      #expect(try Files.names(in: folder.path) == ["data"])
    }
  }

  @Test("ends without a word, as other tools do, where nobody reads any more") func closedPipe() throws {
    try fill()
    let (code, output) = try shell(
      "\(Programs.folder)/refundlog log export --data \(data) | head -n 1 | wc -l; echo ${PIPESTATUS[0]}")
    #expect(code == 0 && output == "1\n\(128 + SIGPIPE)\n", "\(output)")
  }

  // MARK: Where a result goes

  @Test(
    "names the disk that is full, which is the target's, and leaves nothing there", .enabled(if: Mount.isPossible),
    arguments: [
      "backup DISK/one --data DATA", "backup DISK/one.sqlite --data DATA", "restore BACKUP --data DISK/new",
      "log import COPY --data DISK/new", "log export --data DATA --output DISK/one",
    ])
  func fullTarget(words: String) throws {
    try fill()
    let (backup, copy) = (folder.path + "/backup", folder.path + "/copy.jsonl")
    #expect(try refundlog("backup", backup, "--data", data).code == 0)
    #expect(try refundlog("log", "export", "--lossless", "--data", data, "--output", copy).code == 0)
    let disk = try Mount(in: folder.path, kilobytes: 128)
    let (code, output) = try shell(
      "\(Programs.folder)/refundlog "
        + words.replacing("DISK", with: disk.path).replacing("DATA", with: data).replacing("BACKUP", with: backup)
        .replacing("COPY", with: copy))
    #expect(code == ExitCode.unavailable.rawValue, "\(output)")
    #expect(output.hasPrefix("refundlog: the disk that holds \(disk.path)/"), "\(output)")
    #expect(output.contains("is full: make room there") && !output.contains(data + "/"), "\(output)")
    let left = try Files.names(in: disk.path).filter { $0 != "new" }
    #expect(left.isEmpty, "\(left)")
    #expect(access(disk.path + "/new/events.sqlite", F_OK) != 0)
  }

  @Test("names the disk on which the projection finds no room", .enabled(if: Mount.isPossible)) func fullRebuild()
    throws
  {
    try fill()
    let disk = try Mount(in: folder.path, kilobytes: 520)
    #expect(try shell("cp \(data)/events.sqlite \(disk.path)/ && ls \(disk.path)").code == 0)
    // All that is left over.
    _ = try shell("dd if=/dev/zero of=\(disk.path)/filling bs=4k")
    let (code, output) = try refundlog("rebuild", "--data", disk.path)
    #expect(code == ExitCode.unavailable.rawValue && output.contains("the disk that holds \(disk.path)"), "\(output)")
    #expect(output.contains("is full") && !output.contains("SQLite code"), "\(output)")
  }

  @Test("says in one sentence that a disk takes no writes", .enabled(if: Mount.isPossible)) func readOnly() throws {
    try fill()
    #expect(try refundlog("rebuild", "--data", data).code == 0)
    let disk = try Mount(in: folder.path, kilobytes: 8_000)
    #expect(try shell("cp -a \(data)/* \(disk.path)/").code == 0)
    #expect(try shell("rm -f \(disk.path)/cases*-shm \(disk.path)/cases*-wal").code == 0)
    try SQLiteConnection(path: disk.path + "/events.sqlite", mode: .readWrite).execute("BEGIN; COMMIT")
    // Its companions stay: SQLite reads such a log.
    #expect(try shell("touch \(disk.path)/events.sqlite-wal \(disk.path)/events.sqlite-shm").code == 0)
    try disk.makeReadOnly()
    for (words, sentence) in [("rebuild", "mount it for writing"), ("cases", "or copy the folder to another disk")] {
      let (code, output) = try refundlog(words, "--data", disk.path)
      #expect(code == ExitCode.unavailable.rawValue, "\(output)")
      #expect(output.split(separator: "\n").count == 1 && output.contains(sentence), "\(output)")
      #expect(output.contains("the disk that holds \(disk.path)") && output.contains("can only be read"), "\(output)")
    }
  }

  // MARK: What stands in the place of something else

  @Test("says that the data folder is no folder, and that a file of the log is one") func places() throws {
    try Files.write([1], to: folder.path + "/file")
    for words in [["log", "tail"], ["log", "verify"], ["log", "export"], ["cases"], ["backup", folder.path + "/b"]] {
      let (code, output) = try run("\(Programs.folder)/refundlog", words + ["--data", folder.path + "/file"])
      #expect(code == ExitCode.unavailable.rawValue, "\(words): \(output)")
      #expect(
        output.contains("\(folder.path)/file is no folder") && !output.contains("belongs to"), "\(words): \(output)")
    }
    let wrong = try Installation(in: folder.path, production: 1, sandbox: 1, data: folder.path + "/file")
    #expect(try refusal(wrong).contains("\(folder.path)/file is no folder"))
    let right = try Installation(in: folder.path, production: 1, sandbox: 1, data: data)
    try Files.makeFolder(data + "/events.bell")
    #expect(try refusal(right).contains("\(data)/events.bell is a folder, where the log has a file"))
  }

  /// What a receiver says that does not start.
  private func refusal(_ place: Installation) throws -> String {
    var installation = place
    let receiver = try installation.program("refund-receiver")
    defer { receiver.kill() }
    #expect(throws: CommandError.self) { try receiver.startAndWait() }
    return String(decoding: Project.bytes(receiver.output) ?? [], as: UTF8.self)
  }
}

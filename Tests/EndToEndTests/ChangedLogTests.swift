import EventLog
import Glibc
import JSON
import Responder
import Service
import TestSupport
import Testing

@testable import Operations

/// A log that lost its end, or that is another one than before, and everyone who reads it.
@Suite("A log that is not what was read before", .serialized, .timeLimit(.minutes(5)))
struct ChangedLogTests {
  /// Receiver and responder lived here, and neither runs any more.
  private final class Place {
    let folder = TemporaryFolder()
    var installation: Installation
    let receiver: KillableProgram
    let responder: KillableProgram
    private let traffic: NoticeTraffic

    init(notices: Int) throws {
      installation = try Installation(in: folder.path, production: 1, sandbox: 1)
      receiver = try installation.program("refund-receiver")
      responder = try installation.program("refund-responder")
      traffic = NoticeTraffic(installation)
      try live(notices: notices)
    }

    /// Some time passes, until both are killed.
    func live(notices: Int, withResponder: Bool = true) throws {
      try receiver.startAndWait()
      if withResponder { try responder.startAndWait() }
      traffic.post(notices, to: [installation.ports.receiver])
      let log = try LocalEventLog.reading(installation.data)
      let head = try log.head().position
      let projected = Projected(data: installation.data)
      let deadline = MonotonicClock.milliseconds() + 20_000
      // Absent before the responder has made it.
      while withResponder, (try? projected.position()) ?? .start < head, MonotonicClock.milliseconds() < deadline {
        usleep(20_000)
      }
      receiver.kill()
      responder.kill()
    }

    var data: String { installation.data }

    func refundlog(_ words: String...) throws -> (code: Int32, output: String) {
      try run("\(Programs.folder)/refundlog", words + ["--data", data])
    }

    /// Starts a service that must not come up.
    func refusal(of program: KillableProgram) throws -> String {
      let before = Project.bytes(program.output)?.count ?? 0
      #expect(throws: CommandError.self) { try program.startAndWait() }
      program.kill()
      return String(decoding: (Project.bytes(program.output) ?? []).dropFirst(before), as: UTF8.self)
    }
  }

  /// One bit of the write-ahead log flips: SQLite drops what follows, without a word.
  @Test("is refused by every program where its end is missing, with how much that is")
  func lostTail() throws {
    let place = try Place(notices: 30)
    // Alone, so that nothing follows its newest commit, which was answered with 200.
    try place.live(notices: 1, withResponder: false)
    let head = try LocalEventLog.reading(place.data).head().position.value
    let lost = "1 event is missing from the end of the log, position \(head)"
    let path = place.data + "/events.sqlite-wal"
    var bytes = try #require(Project.bytes(path))
    bytes[try #require(Self.newestCommit(in: bytes)) + 4_000] ^= 1
    try Files.write(bytes, to: path)
    unlink(place.data + "/events.sqlite-shm")
    for program in [place.receiver, place.responder] {
      let words = try place.refusal(of: program)
      #expect(words.contains(lost), "\(words)")
    }
    for words in [["log", "verify"], ["log", "tail"]] {
      let (code, output) = try place.refundlog(words[0], words[1])
      #expect(code == ExitCode.damage.rawValue)
      #expect(output.contains(lost), "\(output)")
    }
    let (code, output) = try place.refundlog("cases")
    #expect(code == ExitCode.damage.rawValue, "\(output)")
  }

  /// Where the page begins that closes the newest commit (https://www.sqlite.org/fileformat2.html#walformat): after it
  /// come frames of a commit that was never finished, or of before the last reset.
  private static func newestCommit(in bytes: [UInt8]) -> Int? {
    let salts = bytes[16..<24]
    var found: Int?
    var frame = 32
    while frame + 24 <= bytes.count, bytes[frame + 8..<frame + 16].elementsEqual(salts) {
      if bytes[frame + 4..<frame + 8].contains(where: { $0 != 0 }) { found = frame + 24 }
      frame += 24 + 8_192
    }
    return found
  }

  /// Somebody lays another log into the folder, or an older copy of the same one.
  @Test("is read anew by the responder where it is another log")
  func replaced() throws {
    let place = try Place(notices: 20)
    let other = try Place(notices: 7)
    let follower = try follow(place.data, in: place.folder.path)
    for name in ["events.sqlite", "events.sqlite-wal", "events.bell"] {
      try Files.write(try #require(Project.bytes("\(other.data)/\(name)")), to: "\(place.data)/\(name)")
    }
    unlink(place.data + "/events.sqlite-shm")
    // Who followed the old one stops with a sentence.
    let (code, output) = follower()
    #expect(code == ExitCode.failure.rawValue && output.contains("another log is here now"), "\(code) \(output)")
    // Cases of the old log are not shown as those of the new one.
    let (casesCode, cases) = try place.refundlog("cases")
    #expect(casesCode != 0 && cases.contains("another log"), "\(casesCode) \(cases)")
    // The responder begins anew by itself.
    try place.responder.startAndWait()
    defer { place.responder.kill() }
    let log = try LocalEventLog.reading(place.data)
    let projected = Projected(data: place.data)
    try eventually { try (try? projected.position()) == log.head().position }
    #expect(try place.refundlog("cases").code == 0)
  }

  @Test("is refused by whoever had read further, where it is an older copy")
  func older() throws {
    let place = try Place(notices: 10)
    let names = ["events.sqlite", "events.sqlite-wal"]
    let copies = try names.map { try #require(Project.bytes("\(place.data)/\($0)")) }
    try place.live(notices: 10)
    // The responder had read at least so far.
    let head = try #require(try Projected(data: place.data).position()).value
    for (name, copy) in zip(names, copies) { try Files.write(copy, to: "\(place.data)/\(name)") }
    for name in ["events.sqlite-shm", "events.bell"] { unlink("\(place.data)/\(name)") }
    let (code, output) = try place.refundlog("cases")
    #expect(code == ExitCode.damage.rawValue, "\(code) \(output)")
    #expect(output.contains("missing from the end of the log") && output.contains("to \(head)"), "\(output)")
    try place.responder.start()
    try eventually {
      let words = String(decoding: (Project.bytes(place.responder.output) ?? []).suffix(4_000), as: UTF8.self)
      return words.contains("missing from the end of the log") && words.contains("to \(head)")
    }
    place.responder.kill()
  }

  /// `log tail --follow`, begun now.
  /// - Returns: waits for its end, ten seconds at most, and gives its exit code and the end of what it printed.
  private func follow(_ data: String, in folder: String) throws -> () -> (code: Int32, output: String) {
    let output = folder + "/tail.log"
    let process = try ChildProcess(
      "refundlog", in: Programs.folder, arguments: ["log", "tail", "--follow", "--data", data], output: output)
    try eventually { Project.bytes(output)?.isEmpty == false }
    return {
      let deadline = MonotonicClock.milliseconds() + 10_000
      while process.isRunning, MonotonicClock.milliseconds() < deadline { usleep(10_000) }
      let code = process.exitCode?.rawValue ?? -1
      process.kill()
      return (code, String(String(decoding: Project.bytes(output) ?? [], as: UTF8.self).suffix(1_000)))
    }
  }

  private func eventually(_ holds: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 20_000
    while try !holds() {
      try #require(MonotonicClock.milliseconds() < deadline, "within 20 s")
      usleep(20_000)
    }
  }
}

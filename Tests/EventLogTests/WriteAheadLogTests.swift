import Glibc
import TestSupport
import Testing

@testable import EventLog

@Suite("A write-ahead log that is opened again") struct WriteAheadLogTests {
  @Test("is settled without a byte changed, whatever it holds")
  func settled() throws {
    let folder = TemporaryFolder()
    let log = try LogFixture.local(folder)
    let data = "\"" + String(repeating: "x", count: 300_000) + "\""
    // Over a thousand frames, so that it began anew on the way and ends in frames of before.
    for round in 0..<60 { _ = try log.append([LogFixture.draft("e\(round)", data: data)]) }
    let files = LogFiles(folder: folder.path)
    let gate = try Gate(files)
    func settle() throws {
      try gate.pass { turn -> Result<Void, any Error> in Result { try WriteAheadLog.settle(files, isRung: false, turn) }
      }.get()
    }
    let bytes = try #require(Project.bytes(files.writeAhead))
    #expect(bytes.count > 2 << 20)
    try settle()
    #expect(Project.bytes(files.writeAhead) == bytes)
    #expect(try log.append([LogFixture.draft("more")]) == .recorded([.appended(Position(61))]))
    log.close()
    for odd in [Array(bytes[..<31]), Array(bytes[..<5_000]), [UInt8](repeating: 7, count: 100_000), []] {
      remove(files.writeAhead)
      let file = try #require(fopen(files.writeAhead, "w"))
      fwrite(odd, 1, odd.count, file)
      fclose(file)
      try settle()
      #expect(Project.bytes(files.writeAhead) == odd)
    }
    remove(files.writeAhead)
    try settle()
    #expect(Project.bytes(files.writeAhead) == nil)
  }
}

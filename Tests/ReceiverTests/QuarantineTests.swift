import AppStore
import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("A body that can never become good") struct QuarantineTests {
  @Test("is noted with what was wrong, once however often it comes, and never reaches the log") func noted() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let token = try ReceivedToken.derived("n52-inner-other-bundle").token()
    for _ in 0..<5 { #expect(try receiver.post(token).status == 400) }
    receiver.stop()
    let notes = try receiver.quarantine()
    #expect(notes.count == 1)
    let note = try #require(notes.first)
    #expect(note.code == "inner-token-foreign")
    #expect(note.detail.contains("com.example.refunds"), "what was expected")
    #expect(note.deliveries == 5)
    #expect(note.firstReceivedAt == RunningReceiver.now)
    #expect(note.remoteAddress == "127.0.0.1")
    let body = IntakeFixture.body(token)
    #expect(note.digest == SHA256.digest(of: body).bytes)
    #expect(note.bodyBytes == body.count)
    #expect(note.excerpt == Array(body.prefix(BodyExcerpt.bytesMax)))
    #expect(try receiver.events().isEmpty)
    #expect(try receiver.parked().isEmpty)
  }

  @Test("of any size is kept by its first bytes") func bounded() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path)
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    #expect(try receiver.send(body).status == 400)
    #expect(try receiver.quarantine(awaiting: 1).first?.excerpt.count == BodyExcerpt.bytesMax)
  }

  @Test(
    "loses what is named like a password",
    arguments: [
      (#"{"password":"hush","a":1}"#, #"{"password":"…","a":1}"#),
      (#"{"a":{"Shared_Secret" : "hu\"sh","b":2}}"#, #"{"a":{"Shared_Secret" : "…","b":2}}"#),
      (#"{"password":12345,"b":2}"#, #"{"password":…,"b":2}"#), (#"{"password":"cut o"#, #"{"password":"…"#),
      ("a=1&password=hush&b=2", "a=1&password=…&b=2"), ("password=hush", "password=…"),
      (#"{"note":"a password, and: more"}"#, #"{"note":"a password, and: more"}"#), ("password", "password"),
      (#"{"password":""#, #"{"password":"…"#), ("", ""), (#"{"a":"b"}"#, #"{"a":"b"}"#),
    ])
  func password(body: String, kept: String) {
    #expect(String(decoding: BodyExcerpt.make(Array(body.utf8)), as: UTF8.self) == kept)
  }

  @Test("that is full of names costs hardly more than another one") func manyNames() {
    func nanoseconds(_ body: [UInt8]) -> Int64 {
      (0..<5).map { _ in
        let begin = MonotonicClock.nanoseconds()
        _ = BodyExcerpt.make(body)
        return MonotonicClock.nanoseconds() - begin
      }.min()!
    }
    let plain = nanoseconds([UInt8](repeating: UInt8(ascii: "p"), count: BodyExcerpt.bytesMax))
    let names = [UInt8](String(repeating: "password", count: BodyExcerpt.bytesMax / 8).utf8)
    #expect(nanoseconds(names) < 5 * plain)
    #expect(nanoseconds(names.dropLast(2_000) + [UInt8](":".utf8) + [UInt8](repeating: 32, count: 1_999)) < 5 * plain)
  }

  private func note(_ number: Int, at instant: Int64 = 1, excerpt: Int = 10) -> QuarantineNote {
    QuarantineNote(
      digest: SHA256.digest(of: Array("\(number)".utf8)).bytes, firstReceivedAt: instant, lastReceivedAt: instant,
      remoteAddress: "192.0.2.1", code: "malformed-json", detail: "\(number)", bodyBytes: 1,
      excerpt: [UInt8](repeating: 0, count: excerpt))
  }

  private func store(_ folder: String, _ limits: QuarantineLimits) throws -> StateStore {
    try StateStore(
      folder: folder, parking: ParkingUsage(limits: ParkingLimits(), configured: []), quarantine: limits)
  }

  private func kept(_ folder: String) throws -> [String] {
    try ReceiverState(folder: folder).quarantine().map(\.detail)
  }

  @Test("goes when more have come, the one first that was seen longest ago") func count() throws {
    let folder = TemporaryFolder()
    var limits = QuarantineLimits()
    limits.count = 3
    let store = try store(folder.path, limits)
    try store.note((1...3).map { note($0, at: Int64($0)) }, now: 3)
    #expect(try kept(folder.path) == ["3", "2", "1"])
    try store.note([note(1, at: 4), note(5, at: 5)], now: 5)
    #expect(try kept(folder.path) == ["5", "1", "3"])
    #expect(store.quarantinedCount == 3)
  }

  @Test("goes when the notes have grown too large, or it too old") func bytesAndAge() throws {
    let folder = TemporaryFolder()
    var limits = QuarantineLimits()
    limits.bytes = 10_000
    limits.ageMilliseconds = 1_000
    let store = try store(folder.path, limits)
    try store.note((1...3).map { note($0, at: Int64($0), excerpt: 4_000) }, now: 3)
    #expect(try kept(folder.path) == ["3", "2"])
    try store.note([note(4, at: 1_002)], now: 1_003)
    #expect(try kept(folder.path) == ["4", "3"])
    try store.note([], now: 9_000)
    #expect(try kept(folder.path).isEmpty)
    #expect(store.quarantinedCount == 0)
  }

  @Test("is forgotten in bounded steps", .timeLimit(.minutes(5))) func steps() throws {
    let folder = TemporaryFolder()
    let store = try store(folder.path, QuarantineLimits())
    try store.note((1...900).map { note($0, at: Int64($0)) }, now: 900)
    #expect(store.quarantinedCount == 900)
    let later = QuarantineLimits().ageMilliseconds + 901
    #expect(try store.tend(now: later))
    #expect(store.quarantinedCount == 900 - StateStore.forgottenMax)
    #expect(try !store.tend(now: later))
    #expect(store.quarantinedCount == 0)
  }

  @Test(
    "is forgotten at the start, at a change of bounds and with time, though no other comes", .timeLimit(.minutes(5)))
  func quiet() throws {
    let folder = TemporaryFolder()
    try LocalEventLog.open(folder.path, clock: .system).close()
    do {
      let writer = try store(folder.path, QuarantineLimits())
      try writer.note((1...900).map { note($0, at: RunningReceiver.now + Int64($0)) }, now: RunningReceiver.now)
    }
    let clock = MovableClock(RunningReceiver.now)
    func count() throws -> Int { try ReceiverState(folder: folder.path).quarantine(limit: 1_000).count }
    let receiver = try RunningReceiver(
      folder.path, apps: [], anchors: [RunningReceiver.derivedAnchor()], clock: clock.clock, feedMilliseconds: 20
    ) { $0.quarantine.count = 700 }
    try eventually { try count() == 700 }
    try receiver.reload(apps: [], anchors: [RunningReceiver.derivedAnchor()]) { $0.quarantine.count = 10 }
    try eventually { try count() == 10 }
    clock.move(to: RunningReceiver.now + QuarantineLimits().ageMilliseconds + 2_000)
    try eventually { try count() == 0 }
    #expect(try receiver.metric("refundlog_quarantined_bodies") == "0")
  }

  @Test("is only counted where more come than are written, and none is lost from the count") func dropped() throws {
    let folder = TemporaryFolder()
    var limits = QuarantineLimits()
    limits.count = 100_000
    let writer = StateWriter(try store(folder.path, limits), clock: .fixed(1))
    for number in 0..<2_000 { writer.note(note(number)) }
    writer.close()
    writer.note(note(2_001))
    let kept = try ReceiverState(folder: folder.path).quarantine(limit: 10_000).count
    #expect(kept + Int(writer.notesDropped.value) == 2_001)
    #expect(writer.notesDropped.value > 0)
    #expect(kept >= 256)
  }

  @Test("in a flood slows no genuine one, and touches nothing that is parked") func flood() throws {
    let folder = TemporaryFolder()
    let receiver = try RunningReceiver.derived(folder.path) { $0.quarantine.count = 50 }
    let parked = try ReceivedToken.derived("n41-wrong-bundle").token()
    #expect(try receiver.post(parked).status == 200)
    let forged = try ReceivedToken.derived("n11-signature-bit-flipped").token()
    let threads = (0..<3).map { thread in
      OwnedThread(name: "forged.\(thread)") {
        let client = HTTPClient()
        for number in 0..<400 {
          let body = Array("{\"n\":\"\(thread) \(number)\",\"signedPayload\":\"".utf8) + forged + Array("\"}".utf8)
          _ = try? receiver.send(body, client: client)
        }
      }
    }
    let genuine = try ReceivedToken.derived("p02-consumption-consumable").token()
    var slowest: Int64 = 0
    for _ in 0..<20 {
      let begin = MonotonicClock.milliseconds()
      #expect(try receiver.post(genuine).status == 200)
      slowest = max(slowest, MonotonicClock.milliseconds() - begin)
      usleep(5_000)
    }
    for thread in threads { thread.join() }
    #expect(slowest < 10_000, "Apple's time for a reply is far longer")
    #expect(try receiver.events().count == 1)
    #expect(try receiver.parked().map(\.token) == [parked])
    receiver.stop()
    let notes = try receiver.quarantine()
    #expect(notes.count == 50)
  }
}

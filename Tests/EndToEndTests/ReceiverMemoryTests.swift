import Glibc
import HTTPClient
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// What the receiver takes of the machine. The bounds are of a debug build and there to notice a leak; the figures that
/// matter are those of a release build.
@Suite("The receiver's memory", .serialized)
struct ReceiverMemoryTests {
  @Test("stays small when idle and with 256 open connections that each posted once", .timeLimit(.minutes(5)))
  func memory() throws {
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    let receiver = try installation.program("refund-receiver")
    defer { receiver.stop() }
    let began = MonotonicClock.milliseconds()
    try receiver.startAndWait()
    let started = MonotonicClock.milliseconds() - began
    let id = try #require(receiver.id)
    let idle = try ProcessFigures(of: id).residentKiB
    let notices = SignedNotices(store: installation.store)
    let now = WallClock.system.now()
    let before = try ProcessFigures(of: id).openFiles
    // Each keeps its connection.
    let clients = (0..<256).map { _ in HTTPClient() }
    for (number, client) in clients.enumerated() {
      let token = notices.token(
        "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(4, number), signedAt: now,
        notices.transaction(String(2_000_000_000_000_000 + number), signedAt: now))
      #expect(try installation.post(token, with: client) == 200)
    }
    let figures = try ProcessFigures(of: id)
    let open = figures.openFiles - before
    let busy = figures.residentKiB
    print("receiver: ready after \(started) ms, \(idle) KiB idle, \(busy) KiB with \(open) connections")
    #expect(open >= 256)
    #expect(idle < 128 * 1_024)
    #expect(busy < idle + 64 * 1_024)
    withExtendedLifetime(clients) {}
  }
}

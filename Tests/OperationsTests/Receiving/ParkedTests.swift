import JSON
import Service
import TestSupport
import Testing

@testable import Receiver

@Suite("refundlog parked and quarantine") struct ParkedTests {
  private static func parked(_ number: Int, _ reason: ParkingReason, bundleID: String?) -> ParkedNotification {
    ParkedNotification(
      bundleID: bundleID, environment: "Production", appAppleID: 1_470_168_111,
      notificationUUID: "5a000000-0000-4000-8000-00000000000\(number)", type: "CONSUMPTION_REQUEST", reason: reason,
      detail: "received \u{1B}[2J; configured is nothing", firstReceivedAt: Refundlog.now - 3_600_000,
      lastReceivedAt: Refundlog.now, token: Array("a.b.\(number)".utf8))
  }

  private func store(_ folder: borrowing TemporaryFolder) throws -> StateStore {
    try StateStore(
      folder: folder.path, parking: ParkingUsage(limits: ParkingLimits(), configured: []),
      quarantine: QuarantineLimits())
  }

  @Test("parked shows what waits, since when, and the command that takes it in")
  func parked() throws {
    let folder = TemporaryFolder()
    _ = try store(folder).park([
      Self.parked(1, .bundleId, bundleID: "com.example.other"), Self.parked(2, .shape, bundleID: "com.example.app"),
    ])
    let result = Refundlog(["parked", "--data", folder.path])
    #expect(result.code == .success, "\(result.complained)")
    #expect(
      result.printed.contains(
        "if it is yours, takes it in: refundlog apps add --bundle-id com.example.other --app-id 1470168111 --environments Production\n"
      ))
    #expect(result.printed.contains("1 h ago; 1 delivery") && !result.printed.contains("\u{1B}"))
    #expect(result.printed.contains("shape: received") && result.printed.split(separator: "takes it in").count == 2)
    #expect(
      Refundlog(["parked", "--data", folder.path, "--limit", "1"]).printed.contains("2 are parked in all; --after 1"))
    let json = try JSONValue(bytes: Array(Refundlog(["parked", "--data", folder.path, "--json"]).printed.utf8))
    #expect(json["parked"]?.array?.count == 2 && json["inAll"] == 2)
    #expect(json["parked"]?.array?[0]["takenInBy"] != nil && json["parked"]?.array?[1]["takenInBy"] == nil)
    #expect(!json.text().contains("a.b.1"), "a signed payload stays where it is")
  }

  @Test("parked remove takes out what is named by number or bundle, and says what that was")
  func remove() throws {
    let folder = TemporaryFolder()
    _ = try store(folder).park(
      (1...4).map { Self.parked($0, .bundleId, bundleID: $0 == 4 ? "com.example.app" : "com.example.other") })
    func remaining() throws -> [Int64] { try ReceiverState(folder: folder.path).parked().map(\.id) }
    let one = Refundlog(["parked", "remove", "2", "9", "--data", folder.path])
    #expect(one.code == .success, "\(one.complained)")
    #expect(one.printed.contains("removed 2  CONSUMPTION_REQUEST  com.example.other, Production, first came "))
    #expect(one.printed.hasSuffix("\nnot parked: 9.\n"))
    #expect(try remaining() == [1, 3, 4])
    let none = Refundlog(["parked", "remove", "2", "--data", folder.path])
    #expect(none.code == .failure && none.complained.contains("nothing is removed: not parked: 2"))
    let bundle = Refundlog(["parked", "remove", "--bundle-id", "com.example.other", "--data", folder.path, "--json"])
    #expect(try JSONValue(bytes: Array(bundle.printed.utf8))["removed"]?.array?.compactMap { $0["number"] } == [1, 3])
    #expect(try remaining() == [4])
    let again = Refundlog(["parked", "remove", "--bundle-id", "com.example.other", "--data", folder.path])
    #expect(again.code == .failure && again.complained.contains("nothing is parked for com.example.other"))
  }

  @Test("parked remove takes either numbers or a bundle", arguments: [[], ["x"], ["0"], ["1", "--bundle-id", "a.b"]])
  func removeWhat(words: [String]) throws {
    let folder = TemporaryFolder()
    _ = try store(folder).park([Self.parked(1, .bundleId, bundleID: "a.b")])
    #expect(Refundlog(["parked", "remove"] + words + ["--data", folder.path]).code == .usage)
    #expect(try ReceiverState(folder: folder.path).parkedCount() == 1)
  }

  @Test("quarantine shows notes of what was refused, and lets none steer the terminal")
  func quarantine() throws {
    let folder = TemporaryFolder()
    try store(folder).note(
      [
        QuarantineNote(
          digest: [UInt8](repeating: 1, count: 32), firstReceivedAt: Refundlog.now - 60_000,
          lastReceivedAt: Refundlog.now - 60_000, remoteAddress: "192.0.2.1", code: "malformed-json",
          detail: "line 1", bodyBytes: 9, excerpt: Array("{\u{1B}[2J".utf8))
      ], now: Refundlog.now)
    let result = Refundlog(["quarantine", "--data", folder.path])
    #expect(result.printed.contains("1 min ago  malformed-json from 192.0.2.1\n"))
    #expect(result.printed.contains("9 bytes: {\\u{1b}[2J\n"))
    let json = try JSONValue(bytes: Array(Refundlog(["quarantine", "--data", folder.path, "--json"]).printed.utf8))
    #expect(json["quarantine"]?.array?.first?["bodyDigest"]?.string?.count == 64)
  }

  @Test("says where there is nothing yet", arguments: ["parked", "quarantine"])
  func nothing(command: String) throws {
    let folder = TemporaryFolder()
    let none = Refundlog([command, "--data", folder.path])
    #expect(none.code == .unavailable && none.complained.contains("no receiver has run over this folder yet"))
    _ = try store(folder)
    #expect(Refundlog([command, "--data", folder.path]).printed.hasPrefix("Nothing "))
    #expect(Refundlog([command, "--limit", "0"]).code == .usage)
  }
}

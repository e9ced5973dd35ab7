import Contracts
import EventLog
import Glibc
import Responder
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("A genuine notification for an app that nobody set up") struct ForgottenAppTests {
  private static let forgotten = "com.example.forgotten"
  private static let transaction = "2000000000000020"
  private static let hour: Int64 = 3_600_000

  @Test(
    "is answered 200, kept with an alarm, and is a case with its true remaining time once the app is added",
    .timeLimit(.minutes(5)))
  func forgotten() throws {
    let folder = TemporaryFolder()
    let appStore = WatchedAppStore()
    var installation = try Installation(in: folder.path, production: appStore.port, sandbox: appStore.port)
    let receiver = try installation.program("refund-receiver")
    let responder = try installation.program("refund-responder")
    try receiver.startAndWait()
    try responder.startAndWait()
    defer {
      receiver.stop()
      responder.stop()
      appStore.stop()
    }
    let notices = SignedNotices(store: installation.store, bundleID: Self.forgotten, environment: "Production")
    let before = WallClock.system.now()
    let signedAt = before - 2 * Self.hour
    let token = notices.token(
      "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(20, 1), signedAt: signedAt,
      notices.transaction(Self.transaction, signedAt: signedAt))
    for _ in 0..<6 { #expect(try installation.post(token) == 200) }
    let after = WallClock.system.now()
    let alarm = try #require(lines(receiver).first { $0.contains(#""level":"error""#) })
    #expect(alarm.contains(Self.forgotten) && alarm.contains("refundlog apps add"))
    let parked = try run("\(Programs.folder)/refundlog", ["parked", "--data", installation.data])
    #expect(parked.code == 0 && parked.output.contains("6 deliveries"), "\(parked.output)")

    for name in ["refund-receiver", "refund-responder"] {
      let added = try run(
        "\(Programs.folder)/refundlog",
        [
          "apps", "add", "--settings", "\(folder.path)/\(name).json", "--bundle-id", Self.forgotten, "--app-id",
          "1470168111", "--delivered", "yes", "--sample", "no",
        ])
      #expect(added.code == 0, "\(added.output)")
    }
    let key = try PurchaseKey(environment: "Production", transactionID: Self.transaction)
    let deadline = MonotonicClock.milliseconds() + 20_000
    var page: CasePage?
    while page == nil, MonotonicClock.milliseconds() < deadline {
      page = try? CaseReader(folder: installation.data, clock: .system).page(of: key)
      usleep(50_000)
    }
    let request = try #require(page?.requests.first)
    #expect((before...after).contains(request.receivedAt), "the receipt is the first one, not the feeding in")
    #expect(request.due == signedAt + 12 * Self.hour - 600_000)
    #expect(request.closed == request.receivedAt + 12 * Self.hour)
    let empty = try run("\(Programs.folder)/refundlog", ["parked", "--data", installation.data])
    #expect(empty.output.contains("Nothing is parked"))
    #expect(try installation.post(token) == 200)
    let events = try LocalEventLog.reading(installation.data).read(after: .start, limit: 100)
    #expect(events.filter { $0.type == "NotificationReceived" }.count == 1, "one event however often it came")
  }

  private func lines(_ program: KillableProgram) -> [Substring] {
    String(decoding: Project.bytes(program.output) ?? [], as: UTF8.self).split(separator: "\n")
  }
}

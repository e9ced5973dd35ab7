import AppStore
import Contracts
import Cryptography
import EventLog
import HTTPServer
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Responder

/// The responder's loop over a log in memory, with a server that stands in for Apple and a clock that tests set.
final class LoopBench {
  static let bundleID = "com.example"
  static let transaction = "2000000000000001"
  static let key = try! PurchaseKey(environment: "Sandbox", transactionID: transaction)
  static let account = "3f0f9a4e-6c11-4a39-9a55-0c1f2f6a7d10"
  static let start: Int64 = 1_794_301_200_000

  /// What Apple is asked, and how it answers: a status, or no reply at all.
  final class Store: Sendable {
    struct Call: Sendable, Equatable {
      var target: String
      var body: String
      var authorization: String
    }
    let calls = Monitor<[Call]>([])
    let replies = Monitor<[HTTPResponse?]>([])
  }

  let log: MemoryEventLog
  let store = Store()
  let time = Monitor(LoopBench.start)
  private let folder: String
  private let server: HTTPServer
  private let port: UInt16
  private var stop: StopFlag?
  private var thread: OwnedThread?
  private var sender: AnswerSender?

  var clock: WallClock { WallClock { [time] in time.withLock { $0 } } }

  init(folder: String) throws {
    self.folder = folder
    log = MemoryLog.make()
    let store = store
    server = HTTPServer(settings: HTTPServerSettings()) { request, reply in
      store.calls.change {
        $0.append(
          .init(
            target: "\(request.method) \(request.target)", body: String(decoding: request.body, as: UTF8.self),
            authorization: request.fields["Authorization"] ?? ""))
      }
      let scripted = store.replies.change { $0.isEmpty ? HTTPResponse.empty(202) : $0.removeFirst() }
      // A reply of none: answered with what is no end of a reply, and the connection closes.
      reply(scripted ?? HTTPResponse(status: 599))
    }
    port = try server.start()
  }

  deinit {
    end()
    server.stop()
  }

  func app(statements: Bool = true) throws -> ResponderSettings.App {
    ResponderSettings.App(
      identity: try AppIdentity(bundleId: Self.bundleID, appAppleId: nil, environments: [.sandbox]),
      tokens: try BearerTokenMaker(
        keyId: "KEY", issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: Self.bundleID,
        key: .generate()),
      basis: nil,
      statements: statements
        ? [
          ProductStatementDeclared(
            bundleID: Self.bundleID, productID: "*", deliveryStatus: DeliveryStatusWord("DELIVERED"),
            sampleContentProvided: false, by: "settings")
        ] : [])
  }

  /// Starts as a process does: declares, opens the projection, follows.
  func begin() throws {
    let app = try app()
    try Declarations(log: log, clock: clock).declare(app)
    let address = try AppStoreAddress("http://127.0.0.1:\(port)")
    let settings = AppStoreSettings(api: AppStoreServerAPI(production: address, sandbox: address))
    let logger = Logger(format: .json, clock: .fixed(0)) { _ in }
    let sender = AnswerSender(
      senders: 2, appStore: settings, log: log, clock: clock, backoff: Backoff(speed: 1) { 1 }, logger: logger)
    let stop = StopFlag()
    let loop = CaseLoop(
      log: log, folder: folder, apps: [app], sender: sender,
      leader: try #require(LeaderLock(folder: folder)), clock: clock, claimant: SecureRandom.uuid(),
      newUUID: SecureRandom.uuid, logger: logger)
    nonisolated(unsafe) let handed = loop
    thread = OwnedThread(name: "cases") { handed.run { stop.isRaised } }
    self.stop = stop
    self.sender = sender
  }

  /// Ends as a process does when it is told to.
  func end() {
    stop?.raise()
    thread?.join()
    sender?.stop()
    (stop, thread, sender) = (nil, nil, nil)
  }

  // MARK: What happens

  func notify(_ type: String, uuid: String, signedAt: Int64 = LoopBench.start) throws {
    let text =
      #"{"notificationType":"\#(type)","notificationUUID":"\#(uuid)","data":{"signedTransactionInfo":{"#
      + #""transactionId":"\#(Self.transaction)","type":"Consumable","productId":"coins","purchaseDate":1}},"#
      + #""version":"2.0","signedDate":\#(signedAt)}"#
    let (bytes, _) = NotificationReceived.data(
      bundleID: Self.bundleID, environment: "Sandbox", firstReceivedAt: signedAt, notification: text.utf8, via: .push)
    _ = try log.append([
      EventDraft(
        id: EventID("notification/\(uuid)"), stream: StreamName(Self.key.stream), type: "NotificationReceived",
        kind: type, environment: "Sandbox", app: Self.bundleID, customer: customer, occurredAt: signedAt,
        signedAt: signedAt, data: bytes)
    ])
  }

  var customer: String { log.keyedDigest([Array(Self.bundleID.utf8), Array(Self.account.utf8)]) }

  func consent(_ granted: Bool = true, at statedAt: Int64 = LoopBench.start) throws {
    let record = ConsentRecorded(
      bundleID: Self.bundleID, account: Self.account, granted: granted, textVersion: "1",
      textDigest: String(repeating: "a", count: 64), channel: ChannelWord("app"), statedAt: statedAt)
    _ = try log.append([
      EventDraft(
        record, id: "consent/test/\(granted)/\(statedAt)", stream: StreamName(Streams.customer(customer)),
        app: Self.bundleID, customer: customer, occurredAt: statedAt)
    ])
  }

  func advance(to instant: Int64) { time.change { $0 = instant } }

  // MARK: What came of it

  /// The purchase's events once they satisfy the test; fails after ten seconds.
  @discardableResult
  func eventually(_ what: String, _ holds: ([RecordedEvent]) -> Bool) throws -> [RecordedEvent] {
    let deadline = MonotonicClock.milliseconds() + 10_000
    while true {
      let events = try log.read(stream: StreamName(Self.key.stream), after: 0, limit: 1_000)
      if holds(events) { return events }
      try #require(
        MonotonicClock.milliseconds() < deadline, "\(what); there is \(events.map(\.type).joined(separator: ", "))")
      let wakeups = log.wakeups()
      wakeups.wait(milliseconds: 10)
    }
  }

  func calls() -> [Store.Call] { store.calls.withLock { $0 } }
}

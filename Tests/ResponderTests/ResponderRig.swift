import AppStore
import Contracts
import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import Synchronization
import TestSupport
import Testing

@testable import Responder

/// A loop with its senders over a story's log, against a stand-in App Store, on a clock that is set.
final class ResponderRig {
  let story: Story
  let appStore: AppStoreStandIn
  let clock = SetClock(Story.start)
  let folder = TemporaryFolder()
  /// The clock of loop and senders.
  let apple: AppleClock
  let metrics: ResponderMetrics
  /// Where log and projection are said to lie; `folder`, or another rig's.
  let place: String
  private let apps: [ResponderSettings.App]
  private var app: ResponderSettings.App { apps[0] }
  /// What the loop and its senders use; the story's own log where nil.
  private let log: (any EventLog)?
  private let changedApps = Monitor<[ResponderSettings.App]?>(nil)
  private var running: (thread: OwnedThread, sender: AnswerSender, stopping: StopFlag)?
  private let uuids = Counter()
  private let pace: CallPace
  private let logger: Logger

  /// As fast as senders are, so that nothing waits for the real clock.
  static let quick = CallPace(consumptionPerSecond: 100_000, percent: 100)

  /// - Parameters:
  ///   - isAppleDated: whether Apple's replies tell the true time.
  ///   - judge: what Apple says when `replies` are told, at the true time.
  init(
    _ story: Story = Story(environment: "Sandbox"), replies: [AppStoreStandIn.Reply] = [], hasKey: Bool = true,
    apps: [ResponderSettings.App]? = nil, log: (any EventLog)? = nil, in place: String? = nil,
    pace: CallPace = quick, logger: Logger? = nil, isAppleDated: Bool = false,
    judge: @escaping @Sendable (AppStoreStandIn.Call, _ now: Int64) -> AppStoreStandIn.Reply = { _, _ in .status(202) }
  ) throws {
    self.pace = pace
    self.story = story
    self.log = log
    self.place = place ?? folder.path
    apple = AppleClock(clock.wall, steady: clock.steady, logger: logger ?? Self.silent)
    metrics = ResponderMetrics(clock: apple.wall)
    metrics.measure(apple)
    self.logger = logger ?? Self.silent
    let time = self.clock
    let dates: @Sendable () -> Int64? = { isAppleDated ? time.trueTime : nil }
    appStore = AppStoreStandIn(replies, clock: dates) { call in judge(call, time.trueTime) }
    self.apps = try apps ?? [Self.app(hasKey: hasKey)]
  }

  static func app(hasKey: Bool = true) throws -> ResponderSettings.App {
    ResponderSettings.App(
      identity: try AppIdentity(bundleId: Story.bundleID, appAppleId: 7, environments: [.production, .sandbox]),
      tokens: hasKey ? try tokens() : nil, basis: nil, statements: [])
  }

  deinit { stop() }

  static func tokens() throws -> BearerTokenMaker {
    try BearerTokenMaker(
      keyId: "ABC123DEFG", issuerId: "57246542-96fe-1a63-e053-0824d011072a", bundleId: Story.bundleID, key: .generate())
  }

  /// Both environments lead to the stand-in, under a path of their own each.
  func appStoreSettings() throws -> AppStoreSettings {
    try SettingsReader.load(
      file: nil,
      environment: [
        "REFUNDLOG_APP_STORE_PRODUCTION": "http://127.0.0.1:\(appStore.port)/production",
        "REFUNDLOG_APP_STORE_SANDBOX": "http://127.0.0.1:\(appStore.port)/sandbox",
      ], AppStoreSettings.init)
  }

  /// A call maker like the senders', for what must happen between claim and call.
  func call() throws -> AnswerCall {
    AnswerCall(
      api: try appStoreSettings().api, client: HTTPClient(), log: story.log, apple: apple,
      backoff: Backoff(speed: 1) { 1 },
      times: ClaimTimes(speed: 1), pacer: CallPacer(pace), metrics: metrics, writes: writes(), logger: Self.silent)
  }

  func writes() -> WriteWatch { WriteWatch(log: log ?? story.log, metrics: metrics, logger: Self.silent) }

  static let silent = Logger(format: .json, clock: .system) { _ in }

  func start(claimant: String = "first") throws {
    let (loop, sender) = try made(claimant)
    let stopping = StopFlag()
    // Made here, then used by its thread alone.
    nonisolated(unsafe) let handed = loop
    let thread = OwnedThread(name: "cases") { handed.run { stopping.isRaised } }
    running = (thread, sender, stopping)
  }

  /// Runs the loop on this thread until it has asked so often whether it is to stop.
  func run(questions: Int) throws {
    let (loop, sender) = try made("first")
    var asked = 0
    loop.run {
      asked += 1
      return asked > questions
    }
    sender.stop()
  }

  private func made(_ claimant: String) throws -> (CaseLoop, AnswerSender) {
    let log: any EventLog = log ?? story.log
    let writes = writes()
    let pacer = CallPacer(pace)
    let sender = AnswerSender(
      senders: 2, appStore: try appStoreSettings(), log: log, apple: apple, backoff: Backoff(speed: 1) { 1 },
      pacer: pacer, metrics: metrics, writes: writes, logger: logger)
    let leader = try LeaderLock(folder: place)
    let uuids = uuids
    let projection = try Projection(folder: place, log: log, listener: .telling(metrics, Self.silent))
    let loop = CaseLoop(
      log: log, projection: projection, apps: apps, changedApps: changedApps,
      addresses: try appStoreSettings().addresses(of: [.production, .sandbox]), sender: sender, pacer: pacer,
      writes: writes, leader: leader, apple: apple, claimant: claimant, newUUID: { uuids.next() }, metrics: metrics,
      logger: Self.silent)
    return (loop, sender)
  }

  func stop() {
    guard let (thread, sender, stopping) = running else { return }
    running = nil
    stopping.raise()
    thread.join()
    sender.stop()
  }

  /// Settings are read again: the app has a key now.
  func reload() throws {
    var app = app
    app.tokens = try Self.tokens()
    changedApps.change { $0 = [app] }
  }

  /// The lock of another responder of the same log.
  func takeLead() -> LeaderLock? { try? LeaderLock(folder: place) }

  /// Waits until the projection has read everything; ten seconds at most.
  func waitUntilFollowed() throws {
    let deadline = MonotonicClock.milliseconds() + 10_000
    let head = try story.log.head().position
    while try projected() < head.value {
      try #require(MonotonicClock.milliseconds() < deadline, "the loop follows in time")
      usleep(2_000)
    }
  }

  /// Position up to which the projection tells the log; -1 where there is none.
  func projected() throws -> Int64 {
    let reader = CaseReader(folder: place, log: story.log, clock: clock.wall)
    do { return try reader.through() } catch CaseReaderError.absent { return -1 }
  }

  /// Sets the clock and lets the loop see it: any event wakes it.
  func set(_ instant: Int64) throws {
    clock.set(instant)
    try story.add(
      EventDraft(
        id: EventID("tick/\(uuids.next())"), stream: StreamName("ticks"), type: "Ticked", occurredAt: instant,
        data: Array("{}".utf8)))
  }

  func events(_ type: EventType) throws -> [RecordedEvent] {
    try story.log.read(after: .start, limit: 100_000).filter { $0.type == type.rawValue }
  }

  /// Waits until something is so; ten seconds at most.
  func waitUntil(_ words: Comment, _ isSo: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 10_000
    while try !isSo() {
      try #require(MonotonicClock.milliseconds() < deadline, words)
      usleep(2_000)
    }
  }

  /// Lets the loop act on what is in the log, also where nothing is ended for the clock.
  func waitUntilActed() throws {
    try waitUntilFollowed()
    try settle()
  }

  /// Waits for events of a type to be that many; ten seconds at most, unless told otherwise.
  @discardableResult
  func wait(for type: EventType, count: Int = 1, seconds: Int64 = 10) throws -> [RecordedEvent] {
    let deadline = MonotonicClock.milliseconds() + seconds * 1_000
    while true {
      let found = try events(type)
      if found.count >= count || MonotonicClock.milliseconds() > deadline {
        try #require(found.count >= count, "\(count) of \(type.rawValue) in time")
        return found
      }
      usleep(2_000)
    }
  }

  /// Lets the loop come to rest: it has read and acted on everything that is in the log now, twice over.
  func settle() throws {
    for _ in 0..<2 {
      let marker = Story(environment: "Sandbox", transactionID: "9\(uuids.next().prefix(8))", log: story.log)
      let outcomes = try events(.outcome).count
      try marker.notification("REFUND_REVERSED", uuid: 900_000 + outcomes, signedAt: clock.wall.now())
      try wait(for: .outcome, count: outcomes + 1)
    }
  }

  /// A clock that stands where it was set. Time passes with it, so that it does not jump, unless it is told to be wrong.
  final class SetClock: Sendable {
    private let instant: Atomic<Int64>
    private let wrong = Atomic<Int64>(0)
    init(_ instant: Int64) { self.instant = Atomic(instant) }
    func set(_ instant: Int64) { self.instant.store(instant, ordering: .releasing) }
    /// The machine's clock shows so much more than the true time from now on.
    func isWrong(by milliseconds: Int64) { wrong.store(milliseconds, ordering: .releasing) }
    var wall: WallClock { WallClock { self.trueTime + self.wrong.load(ordering: .acquiring) } }
    var trueTime: Int64 { instant.load(ordering: .acquiring) }
    var steady: @Sendable () -> Int64 { { self.trueTime } }
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> String {
      let text = String(count.wrappingAdd(1, ordering: .relaxed).newValue)
      return String(repeating: "0", count: 8 - text.utf8.count) + text + "-0000-4000-8000-000000000000"
    }
  }
}

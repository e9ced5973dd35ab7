import AppStoreSimulator
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service

@testable import Operations

/// Notifications arrive throughout while receivers and responders of two builds take over from each other, over one log
/// into which a later release writes too.
final class UpgradeStory {
  /// Two programs of one kind that take over from each other.
  struct Pair {
    var earlier: KillableProgram
    var later: KillableProgram
  }

  private struct Post: Sendable {
    var isOver = false
    var acknowledged: Set<String> = []
    /// When the latest was acknowledged, of `MonotonicClock`.
    var latest: Int64 = 0
    /// The longest time without one, in milliseconds.
    var longestSilence: Int64 = 0
    /// Replies that are neither 200 nor «come again».
    var refused: [String] = []
    /// Ports of receivers that run, in this phase, from its beginning to its end.
    var steady: Set<UInt16> = []
    /// Posts that one of those did not take.
    var missed: [String] = []
  }

  private(set) var installation: Installation
  let appStore: WatchedAppStore
  let receivers: Pair
  let responders: Pair
  private let receiverPorts: [UInt16]
  let responderPorts: (earlier: UInt16, later: UInt16)
  private let post = Monitor(Post())
  private let log: LocalEventLog
  private var posting: [OwnedThread] = []
  /// Events of a type that no build of today knows.
  private(set) var unknownEvents = 0

  /// - Parameter earlier: folder of the programs that are there first.
  init(in folder: String, earlier: String) throws {
    appStore = WatchedAppStore { .judged(afterMilliseconds: Int.random(in: 0...60)) }
    var installation = try Installation(in: folder, production: appStore.port, sandbox: appStore.port)
    let further = Installation.quietPorts(2)
    receiverPorts = [installation.ports.receiver, further[0]]
    responderPorts = (installation.ports.responder, further[1])
    receivers = Pair(
      earlier: try installation.program("refund-receiver", in: earlier),
      later: try installation.further("refund-receiver", at: further[0]))
    responders = Pair(
      earlier: try installation.program("refund-responder", in: earlier) { settings in
        // An earlier release knows no pace.
        var own = settings["responder"]?.object ?? [:]
        own["pace"] = nil
        settings["responder"] = .object(own)
      },
      later: try installation.further("refund-responder", at: further[1]))
    self.installation = installation
    // The first program makes the log; the later release opens what is there.
    try receivers.earlier.startAndWait()
    try responders.earlier.startAndWait()
    log = try LocalEventLog.open(installation.data, clock: .system)
    appStore.watch(data: installation.data)
  }

  /// Ends what still runs.
  func stop() {
    post.change { $0.isOver = true }
    for thread in posting { thread.join() }
    posting = []
    for program in [responders.earlier, responders.later, receivers.earlier, receivers.later] { program.stop() }
    log.close()
    appStore.stop()
  }

  var acknowledged: Set<String> { post.withLock { $0.acknowledged } }
  var refused: [String] { post.withLock { $0.refused } }
  var missed: [String] { post.withLock { $0.missed } }
  var longestSilence: Int64 { post.withLock { $0.longestSilence } }
  var endedByItself: [String] {
    [responders.earlier, responders.later, receivers.earlier, receivers.later].flatMap(\.endedByItself)
  }

  // MARK: The course of it

  /// Posts from now on, to whichever receiver: requests that can be answered, one purchase each.
  func startPosting() {
    let notices = SignedNotices(store: installation.store, environment: "Production")
    post.change { post in
      post.steady = [receiverPorts[0]]
      post.latest = MonotonicClock.milliseconds()
    }
    posting = (0..<2).map { poster in
      let (post, installation, ports) = (post, installation, receiverPorts)
      return OwnedThread(name: "poster") {
        let client = HTTPClient()
        for number in 0... {
          if post.withLock({ $0.isOver }) { return }
          let id = String(3_000_000_000_000_000 + poster * 1_000_000 + number)
          let uuid = SignedNotices.uuid(poster + 1, number)
          let now = WallClock.system.now()
          let token = notices.token(
            "CONSUMPTION_REQUEST", uuid: uuid, signedAt: now, notices.transaction(id, signedAt: now))
          Self.deliver(token, uuid, installation, ports, client, post)
          usleep(25_000)
        }
      }
    }
  }

  /// Until it is acknowledged, as the App Store does; the story's end waits for it.
  private static func deliver(
    _ token: [UInt8], _ uuid: String, _ installation: Installation, _ ports: [UInt16], _ client: HTTPClient,
    _ post: Monitor<Post>
  ) {
    for attempt in 0..<2_000 {
      let port = ports[attempt == 0 ? Int.random(in: 0...1) : attempt % 2]
      let before = post.withLock { $0.steady }
      let status = try? installation.post(token, to: port, with: client)
      let isDone = post.change { post in
        if status == 200 {
          let now = MonotonicClock.milliseconds()
          post.longestSilence = max(post.longestSilence, now - post.latest)
          post.latest = now
          post.acknowledged.insert(uuid)
          return true
        }
        if before.contains(port), post.steady.contains(port) {
          post.missed.append("\(uuid) at \(port): \(status.map { "\($0)" } ?? "no reply")")
        }
        if let status, status != 503 { post.refused.append("\(uuid): \(status)") }
        return false
      }
      if isDone { return }
      usleep(5_000)
    }
  }

  /// So many more are acknowledged, while a later release writes now and then.
  func take(_ count: Int) throws {
    let goal = acknowledged.count + count
    let deadline = MonotonicClock.milliseconds() + 60_000
    while acknowledged.count < goal {
      guard MonotonicClock.milliseconds() < deadline else {
        throw CommandError(.failure, "\(count) notifications are not taken within 60 s: \(missed.prefix(3))")
      }
      try writeAsALaterRelease()
      usleep(100_000)
    }
  }

  /// Into streams of purchases and of the app, into which these builds look, and into one of its own.
  private func writeAsALaterRelease() throws {
    for stream in ["purchase/Production/3000000000000001", "app/\(Installation.bundleID)", "seats/1"] {
      unknownEvents += 1
      let draft = EventDraft(
        id: EventID("seats/\(unknownEvents)"), stream: StreamName(stream), type: "SeatsReturned", schema: 4,
        occurredAt: WallClock.system.now(), data: Array(#"{"request":[1,{"seats":3}],"zz":1.50E+3}"#.utf8))
      guard case .recorded = try log.append([draft]) else {
        throw CommandError(.failure, "a later release cannot write")
      }
    }
  }

  /// One receiver comes beside the other, which then goes.
  func hand(overTo next: KillableProgram, from program: KillableProgram) throws {
    let isReceiver = program.name == "refund-receiver"
    let (old, new) =
      program === receivers.earlier ? (receiverPorts[0], receiverPorts[1]) : (receiverPorts[1], receiverPorts[0])
    try next.startAndWait()
    if isReceiver { post.change { _ = $0.steady.insert(new) } }
    try take(5)
    if isReceiver { post.change { _ = $0.steady.remove(old) } }
    program.stop()
  }

  /// No more is posted; returns when everything that was posted is acknowledged.
  func stopPosting() {
    post.change { $0.isOver = true }
    for thread in posting { thread.join() }
    posting = []
  }

  /// A figure of a responder, without labels; nil where it has none.
  func figure(_ name: String, at port: UInt16) throws -> Double? {
    let reply = try HTTPClient().send(HTTPClientRequest(.get, HTTPURL("http://127.0.0.1:\(port)/metrics")))
    return String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("\(name) ") }
      .flatMap { Double($0.dropFirst(name.count + 1)) }
  }
}

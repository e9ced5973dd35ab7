import AppStoreSimulator
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations

/// Promise 4: a notification is stored once, for ever, and as it came. Apple repeats, reorders and sends at once; the
/// receiver is killed and started again meanwhile. After a backup and its restore the same is asked elsewhere.
@Suite("A notification that comes again", .serialized)
struct RepeatedDeliveryTests {
  /// The deliveries of one run. Each worker takes the next one until none is left, and posts it until it gets 200.
  private struct Deliveries {
    var left: [Int]
    var replies: [Int: Int] = [:]
    var unanswered = 0
    var faults: [String] = []
  }

  @Test("is stored once and gets 200 each time, over restarts", .timeLimit(.minutes(15)))
  func once() throws {
    let deliveryCount = Effort.pick(2_000, long: 100_000)
    let distinctCount = deliveryCount / 5
    let seed = Effort.seed()
    print("repeated deliveries: \(deliveryCount) of \(distinctCount) notifications, REFUNDLOG_SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    let folder = TemporaryFolder()
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1)
    let receiver = try installation.program("refund-receiver")
    defer { receiver.kill() }
    let tokens = Self.signed(distinctCount, by: installation.store)
    // Some are signed again under the same UUID, as Apple does when it repeats: other bytes, the same notification.
    let again = Self.signed(distinctCount / 20, by: installation.store)

    // Each at least once, the others as chance has it, in any order: a repeat may come before, after or beside.
    var order = Array(0..<distinctCount)
    while order.count < deliveryCount { order.append(Int.random(in: 0..<distinctCount, using: &random)) }
    order.shuffle(using: &random)
    try receiver.startAndWait()
    let deliveries = Monitor(Deliveries(left: order))
    let began = MonotonicClock.milliseconds()
    let url = try HTTPURL("http://127.0.0.1:\(installation.ports.receiver)/v1/notifications")
    let workers = (0..<6).map { _ in
      OwnedThread(name: "deliveries") {
        let client = HTTPClient()
        while let (index, left) = deliveries.withLock({ state in
          state.faults.isEmpty ? state.left.popLast().map { ($0, state.left.count) } : nil
        }) {
          let token = index < again.count && left % 2 == 0 ? again[index] : tokens[index]
          Self.deliver(token, to: url, through: client, deliveries)
        }
      }
    }
    // Now ended politely, now in the middle of whatever it does.
    for life in 1...Effort.pick(4, long: 40) {
      let left = deliveryCount - deliveryCount * life / Effort.pick(5, long: 41)
      while deliveries.withLock({ $0.left.count > left && $0.faults.isEmpty }) { usleep(2_000) }
      if life % 2 == 0 { receiver.stop() } else { receiver.kill() }
      try receiver.startAndWait()
    }
    for worker in workers { worker.join() }
    let seconds = Double(MonotonicClock.milliseconds() - began) / 1_000
    receiver.stop()

    let result = deliveries.withLock { $0 }
    #expect(result.faults.isEmpty, "\(result.faults.prefix(3))")
    // Everything was answered with 200 at last, and with nothing but 200 and «again, please» before.
    #expect(result.replies[200] == deliveryCount)
    #expect(Set(result.replies.keys).isSubset(of: [200, 503]), "\(result.replies)")
    try Self.compare(installation.data, tokens, again)
    try Self.measure(installation.data, count: distinctCount)
    print(
      "repeated deliveries: \(result.replies), \(result.unanswered) without a reply, "
        + "\(Int(Double(deliveryCount) / seconds)) a second, \(tokens[0].count) bytes each")
  }

  /// Tokens of 18.7 KB, made on two threads: a signature is quick, and there are three in each.
  private static func signed(_ count: Int, by store: StoreIdentity) -> [[UInt8]] {
    let notices = SubscriptionNotices(store: store)
    let now = WallClock.system.now()
    let made = Monitor<[Int: [[UInt8]]]>([:])
    let half = (count + 1) / 2
    let threads = [0..<half, half..<count].map { range in
      OwnedThread(name: "signing") {
        let tokens = range.map {
          notices.token("DID_RENEW", uuid: SignedNotices.uuid(4, $0), purchase: $0 / 3, signedAt: now - 1_000)
        }
        made.change { $0[range.lowerBound] = tokens }
      }
    }
    for thread in threads { thread.join() }
    return made.withLock { made in made.sorted { $0.key < $1.key }.flatMap(\.value) }
  }

  private static func deliver(
    _ token: [UInt8], to url: HTTPURL, through client: HTTPClient, _ deliveries: Monitor<Deliveries>
  ) {
    let body = JSONValue.object(["signedPayload": .string(String(decoding: token, as: UTF8.self))]).bytes()
    let deadline = MonotonicClock.milliseconds() + 30_000
    while MonotonicClock.milliseconds() < deadline {
      let status = try? client.send(
        HTTPClientRequest(.post, url, fields: ["Content-Type": "application/json"], body: body)
      ).status
      deliveries.change { state in
        if let status { state.replies[status, default: 0] += 1 } else { state.unanswered += 1 }
      }
      if status == 200 { return }
      // It is down, or says «later»; Apple would wait for an hour.
      usleep(20_000)
    }
    deliveries.change { $0.faults.append("not taken within 30 s") }
  }

  /// As many events as ids, each once, and each gives back a token that was posted under it, bit for bit.
  private static func compare(_ data: String, _ tokens: [[UInt8]], _ again: [[UInt8]]) throws {
    let log = try LocalEventLog.reading(data)
    var bookmark = Bookmark(startOf: log.identity)
    var stored: [String: Int] = [:]
    var signedAgain = 0
    while true {
      let events = try log.read(after: bookmark, limit: 500)
      if events.isEmpty { break }
      for event in events {
        bookmark = bookmark.passing(event)
        guard event.type == "NotificationReceived" else { continue }
        stored[event.id.text, default: 0] += 1
        let index = try #require(Self.number(in: event.id.text))
        let token = try log.signedToken(of: event)
        let isAgain = index < again.count && token == again[index]
        signedAgain += isAgain ? 1 : 0
        #expect(token == tokens[index] || isAgain, "\(event.id)")
      }
    }
    #expect(stored.count == tokens.count)
    #expect(stored.values.allSatisfy { $0 == 1 })
    let proof = try LogVerifier(folder: data).verify()
    #expect(proof.events >= tokens.count)
    print("repeated deliveries: \(stored.count) stored, \(signedAgain) of them as they were signed the second time")
  }

  /// The number that `SignedNotices.uuid` has put into a UUID.
  private static func number(in id: String) -> Int? {
    let uuid = id.split(separator: "/").dropFirst().first
    return uuid?.split(separator: "-").last.flatMap { Int($0, radix: 16) }
  }

  /// Bytes on disk per notification, all in, once the write-ahead log is in the file.
  private static func measure(_ data: String, count: Int) throws {
    let sqlite = try SQLiteConnection(path: data + "/events.sqlite", mode: .readWrite)
    try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let pages = try #require(try sqlite.row("PRAGMA page_count") { $0.integer(0) })
    let each = Int(pages) * 8_192 / count
    let parts = try sqlite.row(
      """
      SELECT sum(length(CAST(data AS BLOB))), sum(length(seams)), \
      sum(length(id) + length(stream) + length(type) + length(kind) + length(environment) + length(app)), \
      sum(length(customer) + length(salt) + length(digest) + length(chain)) FROM events
      """
    ) { [$0.integer(0), $0.integer(1), $0.integer(2), $0.integer(3)].map { Int($0) / count } }
    print("on disk: \(each) bytes a notification; data, seams, names, digests: \(parts ?? [])")
    // The file's fixed pages weigh on few events; 100,000 are what is promised.
    #expect(each <= Effort.pick(3_600, long: 3_000))
  }
}

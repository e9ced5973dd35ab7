import Glibc
import HTTPClient
import HTTPTypes
import Service

/// Notifications that several senders post at once, as the App Store does: each again until it is answered with 200.
///
/// Of ten, eight are for the app that is set up and one for another, which is parked as long as there is room; now and then
/// one comes twice, and beside every tenth a body that is none.
final class NoticeTraffic: Sendable {
  /// One notification, by number.
  struct Notice: Sendable {
    let uuid: String
    let isParked: Bool
    let token: [UInt8]
  }

  /// What came of it so far.
  struct Tally: Sendable {
    var acknowledged: Set<String> = []
    /// Of these, how many the receivers only parked.
    var parked: Set<String> = []
    /// 503, or no answer at all.
    var unavailable = 0
    /// 503 that did not say when to come again.
    var withoutRetryAfter = 0
    /// Answers that no genuine notification may get.
    var wrong: [String] = []
  }

  private static let senders = 8
  /// A receiver keeps a thousand notifications of an app that is not set up, and takes no more of it.
  private static let parkedMax = 900

  private let installation: Installation
  private let next = Monitor(0)
  private let tallied = Monitor(Tally())
  private let stopping = Monitor(false)
  private let retryMilliseconds: UInt32

  /// - Parameter retryMilliseconds: pause before a notification is posted again.
  init(_ installation: Installation, retryMilliseconds: UInt32 = 20) {
    self.installation = installation
    self.retryMilliseconds = retryMilliseconds
  }

  var tally: Tally { tallied.withLock { $0 } }

  /// The notification with that number: always the same bytes' meaning, signed anew.
  func notice(_ number: Int) -> Notice {
    let isParked = number % 10 == 7 && number / 10 < Self.parkedMax
    let uuid = SignedNotices.uuid(isParked ? 6 : 5, number)
    var notices = SignedNotices(store: installation.store)
    if isParked { notices.bundleID = "com.example.not-set-up" }
    let now = WallClock.system.now()
    return Notice(
      uuid: uuid, isParked: isParked,
      token: notices.token(
        number % 10 == 3 ? "REFUND" : "CONSUMPTION_REQUEST", uuid: uuid, signedAt: now,
        notices.transaction(String(2_000_000_000_000_000 + number), signedAt: now)))
  }

  /// Posts so many more and returns when all were acknowledged.
  func post(_ count: Int, to ports: [UInt16]) { for thread in begin(count, to: ports) { thread.join() } }

  /// Posts for ever, until told to stop.
  func begin(_ count: Int = .max, to ports: [UInt16]) -> [OwnedThread] {
    let first = next.withLock { $0 }
    let end = count == .max ? Int.max : first + count
    return (0..<Self.senders).map { sender in
      OwnedThread(name: "sender") { [self] in
        let client = HTTPClient(settings: HTTPClientSettings())
        while let number = next.change({ next -> Int? in
          guard next < end, !stopping.withLock({ $0 }) else { return nil }
          next += 1
          return next - 1
        }) {
          let notice = notice(number)
          if number % 10 == 1 { _ = try? installation.post(Array("no token".utf8), with: client) }
          for copy in 0..<(number % 9 == 4 ? 2 : 1) {
            send(notice, to: ports[(number + sender + copy) % ports.count], with: client)
          }
        }
      }
    }
  }

  /// No sender begins another one; one that waits for its 200 gives up.
  func stop(_ senders: [OwnedThread]) {
    stopping.change { $0 = true }
    for sender in senders { sender.join() }
    stopping.change { $0 = false }
  }

  private func send(_ notice: Notice, to port: UInt16, with client: HTTPClient) {
    while true {
      let response = try? installation.reply(
        to: notice.token, at: port, path: "/v1/notifications/\(notice.uuid)", with: client)
      tallied.change { tally in
        switch response?.status {
        case 200:
          tally.acknowledged.insert(notice.uuid)
          if notice.isParked { tally.parked.insert(notice.uuid) }
        case nil: tally.unavailable += 1
        case 503:
          tally.unavailable += 1
          if response?.fields["Retry-After"] == nil { tally.withoutRetryAfter += 1 }
        case let status?: tally.wrong.append("\(notice.uuid): \(status)")
        }
      }
      if response?.status == 200 || stopping.withLock({ $0 }) { return }
      usleep(retryMilliseconds * 1_000)
    }
  }
}

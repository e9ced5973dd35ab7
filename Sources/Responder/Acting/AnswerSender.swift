import AppStore
import Contracts
import EventLog
import HTTPClient
import HTTPTypes
import Service

/// Each call is made on a thread with a kept connection of its own.
final class AnswerSender: AnswerSending {
  private struct Queue {
    var claims: [WonClaim] = []
    var idle: Int
    var isClosed = false
  }

  private let queue: Monitor<Queue>
  private let threads: [OwnedThread]

  /// - Parameter senders: calls that may be under way at once.
  init(
    senders: Int, appStore: AppStoreSettings, log: any EventLog, clock: WallClock, backoff: Backoff,
    metrics: ResponderMetrics, writes: WriteWatch, logger: Logger
  ) {
    let queue = Monitor(Queue(idle: senders))
    self.queue = queue
    threads = (0..<senders).map { number in
      OwnedThread(name: "send.\(number)") {
        // A call ends within 30 s of its start, all steps together: after that its claim may count as unknown.
        var settings = HTTPClientSettings()
        settings.connectMilliseconds = 4_000
        settings.handshakeMilliseconds = 4_000
        settings.writeMilliseconds = 5_000
        settings.replyMilliseconds = 16_000
        settings.authoritiesPath = appStore.authoritiesPath
        let call = AnswerCall(
          api: appStore.api, client: HTTPClient(settings: settings), log: log, clock: clock, backoff: backoff,
          times: ClaimTimes(speed: clock.speed), metrics: metrics, writes: writes, logger: logger)
        while let claim = Self.next(queue) {
          call.make(claim)
          queue.change { $0.idle += 1 }
        }
      }
    }
  }

  var idleSenders: Int { queue.withLock { $0.idle - $0.claims.count } }

  func send(_ claim: WonClaim) { queue.change { $0.claims.append(claim) } }

  /// Finishes the calls under way and those that are claimed already.
  func stop() {
    queue.change { $0.isClosed = true }
    for thread in threads { thread.join() }
  }

  private static func next(_ queue: Monitor<Queue>) -> WonClaim? {
    queue.wait { queue -> WonClaim?? in
      if queue.claims.isEmpty { return queue.isClosed ? .some(nil) : nil }
      queue.idle -= 1
      return queue.claims.removeFirst()
    }!
  }
}

import AppStore
import Contracts
import EventLog
import HTTPClient
import HTTPTypes
import Service

/// Each call is made on a thread with a kept connection of its own.
final class AnswerSender: AnswerSending {
  private enum Job {
    case answer(WonClaim)
    case time(ServerEnvironment)
  }

  private struct Queue {
    var jobs: [Job] = []
    /// Ids of claims that are waiting, or under way.
    var claims: Set<String> = []
    var idle: Int
    var isClosed = false
    var tellFree: @Sendable () -> Void = {}
  }

  private let queue: Monitor<Queue>
  private let threads: [OwnedThread]
  let senders: Int

  /// - Parameter senders: calls that may be under way at once.
  init(
    senders: Int, appStore: AppStoreSettings, log: any EventLog, apple: AppleClock, backoff: Backoff, pacer: CallPacer,
    metrics: ResponderMetrics, writes: WriteWatch, logger: Logger
  ) {
    self.senders = senders
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
          api: appStore.api, client: HTTPClient(settings: settings), log: log, apple: apple, backoff: backoff,
          times: ClaimTimes(speed: apple.wall.speed), pacer: pacer, metrics: metrics, writes: writes, logger: logger)
        while let job = Self.next(queue) {
          var done: String?
          switch job {
          case .answer(let claim):
            call.make(claim)
            done = claim.id
          case .time(let environment): call.askTime(of: environment)
          }
          let tellFree = queue.change { queue in
            queue.idle += 1
            if let done { queue.claims.remove(done) }
            return queue.tellFree
          }
          tellFree()
        }
      }
    }
  }

  var idleSenders: Int { queue.withLock { $0.idle - $0.jobs.count } }

  func send(_ claim: WonClaim) {
    queue.change { queue in
      queue.jobs.append(.answer(claim))
      queue.claims.insert(claim.id)
    }
  }

  func holds(_ claim: String) -> Bool { queue.withLock { $0.claims.contains(claim) } }

  func askTime(of environment: ServerEnvironment) { queue.change { $0.jobs.append(.time(environment)) } }

  func whenFree(_ tell: @escaping @Sendable () -> Void) { queue.change { $0.tellFree = tell } }

  /// Finishes the calls under way and those that are claimed already.
  func stop() {
    queue.change { $0.isClosed = true }
    for thread in threads { thread.join() }
  }

  private static func next(_ queue: Monitor<Queue>) -> Job? {
    queue.wait { queue -> Job?? in
      if queue.jobs.isEmpty { return queue.isClosed ? .some(nil) : nil }
      queue.idle -= 1
      return queue.jobs.removeFirst()
    }!
  }
}

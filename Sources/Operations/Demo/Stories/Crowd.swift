import Contracts
import EventLog
import HTTPClient
import HTTPTypes
import JSON
import Service

/// Many customers who buy at the same time.
struct Crowd {
  static let customers = 30
  private static let threads = 6
  /// The receiver is killed once so many notifications are acknowledged.
  private static let killedAfter = 10
  /// So many are not posted before: some are to find nobody who takes them.
  private static let heldBack = 8
  /// By the machine's clock; the App Store's first repetition takes two seconds.
  private static let patienceMilliseconds: Int64 = 30_000

  let stage: DemoStage

  private struct Progress {
    var next = 0
    var acknowledged = 0
    var done = 0
    var isKilled = false
  }

  private static func transaction(_ index: Int) -> String { "20000000003000\(10 + index)" }

  /// - Parameter kill: called in the middle.
  /// - Returns: how many notifications were acknowledged until all had been tried once.
  func buy(kill: () -> Void) -> Int {
    let progress = Monitor(Progress())
    let address = "\(stage.simulator)/simulator/v1/events"
    let threads = (0..<Self.threads).map { number in
      OwnedThread(name: "customers-\(number)") {
        let client = HTTPClient()
        while let index = Self.next(progress) {
          let isTaken = Self.post(index, to: address, client)
          progress.change { progress in
            progress.done += 1
            if isTaken { progress.acknowledged += 1 }
          }
        }
      }
    }
    _ = progress.wait { $0.acknowledged >= Self.killedAfter || $0.done >= Self.customers - Self.heldBack ? true : nil }
    kill()
    progress.change { $0.isKilled = true }
    for thread in threads { thread.join() }
    return progress.withLock { $0.acknowledged }
  }

  private static func next(_ progress: Monitor<Progress>) -> Int? {
    progress.wait { (progress: inout Progress) -> Int?? in
      guard progress.next < customers else { return .some(nil) }
      guard progress.isKilled || progress.next < customers - heldBack else { return nil }
      progress.next += 1
      return progress.next - 1
    }!
  }

  /// - Returns: whether the receiver acknowledged it.
  private static func post(_ index: Int, to address: String, _ client: HTTPClient) -> Bool {
    let body: JSONValue = [
      "notificationType": "ONE_TIME_CHARGE", "transaction": ["transactionId": .string(transaction(index))],
    ]
    guard let url = try? HTTPURL(address) else { return false }
    // A call that fails is one that was not acknowledged.
    let response = try? client.send(HTTPClientRequest(.post, url, body: body.bytes()))
    return response?.status == 200
  }

  /// - Returns: how many the App Store had to post more than once.
  func waitUntilAllAreTaken() throws(CommandError) -> Int {
    var taken = 0
    let again = try stage.look(forMilliseconds: max(Self.patienceMilliseconds, stage.patienceMilliseconds)) {
      () throws(CommandError) -> Int? in
      let all = try stage.simulator(.get, "notifications")["notifications"]?.array ?? []
      let attempts = all.filter { $0["notificationType"]?.string == "ONE_TIME_CHARGE" }
        .map { $0["sendAttempts"]?.array ?? [] }
      let successes = attempts.filter { $0.contains { $0["sendAttemptResult"]?.string == "SUCCESS" } }
      taken = successes.count
      return taken == Self.customers ? attempts.count { $0.count > 1 } : nil
    }
    guard let again else {
      throw Scene.wrong(expected: "\(Self.customers) acknowledged notifications", found: "\(taken)")
    }
    return again
  }

  /// How many events there are of each notification: the numbers that occur.
  func events() throws(CommandError) -> Set<Int> {
    var numbers: Set<Int> = []
    for index in 0..<Self.customers {
      let stream = "purchase/\(DemoSettings.environment)/\(Self.transaction(index))"
      numbers.insert(try stage.events(of: stream).count { $0.type == EventType.notificationReceived.rawValue })
    }
    return numbers
  }
}

import Contracts
import Service

/// A few threads for handlers that wait for the disk; network threads never do.
final class WorkerPool: Sendable {
  private static let waitingMax = 1_000

  private let queue = Monitor((work: [@Sendable () -> Void](), isClosed: false))
  private let threads: [OwnedThread]

  init(threads count: Int) {
    let queue = queue
    threads = (0..<count).map { number in
      OwnedThread(name: "api.\(number)") {
        while let work = queue.wait({ state -> (@Sendable () -> Void)?? in
          if state.work.isEmpty { return state.isClosed ? .some(nil) : nil }
          return state.work.removeFirst()
        })! { work() }
      }
    }
  }

  /// - Throws: `unavailable` where as much is waiting as may, or when stopped.
  func run(_ work: @escaping @Sendable () -> Void) throws(Problem) {
    let isTaken = queue.change { state in
      guard !state.isClosed, state.work.count < Self.waitingMax else { return false }
      state.work.append(work)
      return true
    }
    if !isTaken { throw Problem(.unavailable) }
  }

  /// Does what waits, then ends.
  func stop() {
    queue.change { $0.isClosed = true }
    for thread in threads { thread.join() }
  }
}

import Service

/// Keeps the state in order on a thread of its own: feeds in when it is told to, and by itself
/// while something is parked for an app in the settings; lets notes go that are past their bounds.
///
/// It looks by itself because a change of settings alone cannot take in everything: a notification
/// that was judged by the settings before may be parked after it, and log or state may fail for a
/// moment.
final class ParkedFeeder: Sendable {
  /// How often it looks by itself.
  static let intervalMilliseconds: Int64 = 30_000
  /// After a change it looks once more so soon, for what was judged by the settings before.
  private static let afterChangeMilliseconds: Int64 = 1_000
  /// Everything is judged anew so often: the file may have been put back from a backup meanwhile.
  private static let wholeMilliseconds: Int64 = 3_600_000

  private struct Orders: Sendable {
    var setup: ReceiverSetup?
    var asked = 0
    var done = 0
    var isClosed = false
  }

  private enum Order: Sendable {
    case feed(ReceiverSetup, number: Int)
    case end
  }

  private let feed: ParkedFeed
  private let orders = Monitor(Orders())
  private let thread: Monitor<OwnedThread?>

  /// Does nothing before the first `take`.
  init(_ feed: ParkedFeed, intervalMilliseconds: Int64 = ParkedFeeder.intervalMilliseconds) {
    self.feed = feed
    thread = Monitor(nil)
    let orders = orders
    let thread = OwnedThread(name: "receiver.feed") {
      Self.run(feed, orders, intervalMilliseconds: intervalMilliseconds)
    }
    self.thread.withLock { $0 = thread }
  }

  /// Feeds in what fits a set-up, which is in force for the feeder from now on. Returns when
  /// everything was judged that was handed to the state before the call.
  func take(_ setup: ReceiverSetup) {
    let number = orders.change { orders in
      orders.setup = setup
      orders.asked += 1
      return orders.asked
    }
    _ = orders.wait { $0.done >= number || $0.isClosed ? true : nil }
  }

  /// Ends after the batch that is under way, and returns then.
  func close() {
    orders.change { $0.isClosed = true }
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  // MARK: The feeder's thread

  private static func run(_ feed: ParkedFeed, _ orders: Monitor<Orders>, intervalMilliseconds: Int64) {
    let mayGoOn = { orders.withLock { !$0.isClosed } }
    var setup: ReceiverSetup?
    var progress = ParkedFeed.Progress()
    var dueAt: Int64?
    var wholeAt: Int64 = 0
    while true {
      let order = orders.wait(until: dueAt) { orders -> Order? in
        if orders.isClosed { return .end }
        return orders.asked > orders.done ? .feed(orders.setup!, number: orders.asked) : nil
      }
      switch order {
      case .end: return
      case .feed(let asked, let number):
        setup = asked
        progress = ParkedFeed.Progress()
        // Whatever was handed to the state before is on disk after this.
        _ = tend(feed)
        feed.feed(asked, from: &progress, while: mayGoOn)
        orders.change { $0.done = number }
        while mayGoOn(), tend(feed)?.hasMore == true {}
        wholeAt = MonotonicClock.milliseconds() + wholeMilliseconds
        dueAt = MonotonicClock.milliseconds() + min(afterChangeMilliseconds, intervalMilliseconds)
      case nil:
        dueAt = MonotonicClock.milliseconds() + intervalMilliseconds
        var tended = tend(feed)
        while tended?.hasMore == true, mayGoOn() { tended = tend(feed) }
        guard let setup, let tended, tended.figures.parkedForApps > 0 else { continue }
        if MonotonicClock.milliseconds() >= wholeAt {
          progress = ParkedFeed.Progress()
          wholeAt = MonotonicClock.milliseconds() + wholeMilliseconds
        }
        feed.feed(setup, from: &progress, tellsStaying: false, while: mayGoOn)
      }
    }
  }

  /// One step; nil where the state could not be written.
  private static func tend(_ feed: ParkedFeed) -> StateWriter.Tended? {
    do throws(ReceiverStateError) { return try feed.state.tend() } catch {
      feed.logger.error("the receiver's state could not be used", ["reason": .text(error.description)])
      return nil
    }
  }
}

import Service

/// Says on the log what is parked and what to do about it: once for a bundle and reason, again when
/// something about it changes, and again each hour.
final class ParkingAlarms: Sendable {
  private static let quietMilliseconds: Int64 = 3_600_000
  /// Bundles and reasons that are told apart; a stranger may own any number of bundles.
  private static let toldMax = 256

  private struct Key: Hashable, Sendable {
    var bundle: String
    var reason: String
    /// Empty for shapes: there it may name a transaction, and no two would be alike.
    var detail: String
  }

  private struct Told: Sendable {
    /// Instant of the monotonic clock.
    var at: Int64
    var deliveries: Int64
  }

  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let told = Monitor([Key: Told]())

  /// - Parameter now: milliseconds of a clock that only goes forward.
  init(logger: Logger, now: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds) {
    self.logger = logger
    self.now = now
  }

  func raise(for notification: ParkedNotification, _ outcome: ParkingOutcome) {
    let reason: String =
      switch outcome {
      case .parked, .known: notification.reason.rawValue
      case .full: "full"
      case .failed: "failed"
      }
    let key = Key(
      bundle: String((notification.bundleID ?? "").prefix(200)), reason: reason,
      detail: notification.reason == .shape ? "" : String(notification.detail.prefix(500)))
    guard let deliveries = countUnlessQuiet(key) else { return }
    switch outcome {
    case .parked, .known:
      logger.error(
        "genuine notification parked: this receiver is not set up for it",
        [
          "reason": .text(notification.reason.rawValue), "detail": .text(notification.detail),
          "received.bundle": .text(notification.bundleID ?? ""),
          "received.appAppleId": .text(notification.appAppleID.map(String.init) ?? ""),
          "received.environment": .text(notification.environment ?? ""), "since.last.line": .integer(deliveries),
          "do": .text(notification.reason.advice),
        ])
    case .full(let bound):
      logger.error(
        "genuine notification not kept: no room is left to park it; the App Store is told to send it again",
        [
          "bound": .text(bound), "detail": .text(notification.detail), "since.last.line": .integer(deliveries),
          "do": "set the app up with refundlog apps add, or raise the bound",
        ])
    case .failed(let why):
      logger.error(
        "genuine notification not kept: the receiver's state could not be written; the App Store is told to send it again",
        [
          "reason": .text(why), "since.last.line": .integer(deliveries),
          "do": "look at space and rights of the data folder",
        ])
    }
  }

  /// Notifications since the last line about this, this one included; nil where there is nothing
  /// new to say.
  private func countUnlessQuiet(_ key: Key) -> Int64? {
    let now = now()
    return told.withLock { told in
      if told[key] == nil, told.count >= Self.toldMax {
        told = told.filter { now - $0.value.at < Self.quietMilliseconds }
      }
      // Past the bound, bundles share one line for each reason.
      let isFull = told[key] == nil && told.count >= Self.toldMax
      let key = isFull ? Key(bundle: "", reason: "other " + key.reason, detail: "") : key
      guard var entry = told[key] else {
        told[key] = Told(at: now, deliveries: 0)
        return 1
      }
      entry.deliveries += 1
      let isDue = now - entry.at >= Self.quietMilliseconds
      let deliveries = entry.deliveries
      told[key] = isDue ? Told(at: now, deliveries: 0) : entry
      return isDue ? deliveries : nil
    }
  }
}

extension ParkingReason {
  /// What to do so that it fits.
  var advice: String {
    switch self {
    case .bundleId: "if the app is yours: refundlog apps add, or correct bundleId in the settings; it is fed in then"
    case .appAppleId: "correct appAppleId in the settings (refundlog apps add); it is fed in then"
    case .environment: "add the environment to the app in the settings (refundlog apps add); it is fed in then"
    case .shape: "look at it (refundlog parked) and for a newer release, which feeds it in when it knows the shape"
    }
  }
}

import Contracts
import Service

/// What the loop tells operators, in lines and figures: each thing once, until it is another one. For one thread.
final class ResponderVoice {
  /// How a responder stands to the others over its log.
  enum Stance: Equatable {
    case acts
    /// It waits for its turn, with a projection of its own that it keeps up.
    case isWarm
    /// It waits for its turn, without one.
    case waits
    case cannot(String)
  }

  private let metrics: ResponderMetrics
  private let logger: Logger
  private var stance: Stance?
  /// What each open case waits for.
  private var waits: [PurchaseKey: Waiting] = [:]
  /// Since when a restore holds sending up.
  private var pausedSince: Int64?

  init(_ metrics: ResponderMetrics, _ logger: Logger) {
    self.metrics = metrics
    self.logger = logger
  }

  /// - Parameter isSaid: what keeps it from its work was told by others; no line is written.
  func stands(_ new: Stance, isSaid: Bool) {
    metrics.leads.set(new == .acts ? 1 : 0)
    if stance == new { return }
    stance = new
    if isSaid { return }
    switch new {
    case .acts: logger.info("this responder acts for its log")
    case .isWarm: logger.info("another responder acts for this log; waiting for its turn with a projection of its own")
    case .waits: logger.info("another responder acts for this log and writes the projection; waiting for its turn")
    case .cannot(let reason):
      logger.error(
        "this responder cannot do its work, and leads no more; it looks again each second",
        [
          "reason": .text(reason),
          "look at":
            "the data folder: whether it stands at its path, whole, with room and with the rights of this user",
        ])
    }
  }

  /// What changed for all calls of an app.
  func calls(_ change: CallGate.Change?, _ gate: CallGates.Name, diagnosis: @autoclosure () -> String) {
    switch change {
    case nil: return
    case .limited(let until):
      logger.warning(
        "Apple limits the app's calls, all of them wait",
        [
          "app": .text(gate.app), "environment": .text(gate.environment), "until": .text(RFC3339.text(until)),
          "look at": "who else calls the App Store Server API for the app: its limit is shared (responder.pace)",
        ])
    case .paused:
      metrics.paused[gate.app, gate.environment].set(1)
      logger.error(
        "the App Store refuses the app's token, its calls are paused",
        ["app": .text(gate.app), "environment": .text(gate.environment), "look at": .text(diagnosis())])
    case .opened:
      metrics.paused[gate.app, gate.environment].set(0)
      logger.info(
        "the App Store takes the app's token", ["app": .text(gate.app), "environment": .text(gate.environment)])
    }
  }

  /// Whether anything is sent.
  func sends(_ sending: SendingState) {
    guard sending.pausedSince != pausedSince else { return }
    pausedSince = sending.pausedSince
    metrics.sendingPaused.set(pausedSince == nil ? 0 : 1)
    if let pausedSince {
      logger.warning(
        "the log was restored, nothing is sent until refundlog resume", ["restored": .text(RFC3339.text(pausedSince))])
    } else {
      logger.info("sending goes on after the restore")
    }
  }

  /// What a case waits for, nil where for nothing.
  func waits(_ waiting: Waiting?, _ purchase: PurchaseKey, until: Int64?) {
    guard waits[purchase] != waiting else { return }
    waits[purchase] = waiting
    guard let waiting, waiting != .appStore else { return }
    logger.info(
      "refund request waits",
      [
        "purchase": .text(purchase.description), "for": .text(waiting.description),
        "until": .text(until.map(RFC3339.text) ?? ""),
      ])
  }
}

import Contracts
import HTTPTypes
import JSON

/// What customers do, in the app and at Apple.
extension Step {
  /// - Parameter words: what was bought.
  static func buys(_ words: String) -> Step {
    Step(words) { (scene) throws(CommandError) in
      try scene.stage.simulator(
        .put, "transactions/\(scene.purchase.transaction)", .object(scene.purchase.members))
    }
  }

  /// The customer asks Apple for the money back, and the receiver takes the notification.
  /// - Parameter reason: Apple's word for what the customer chose.
  static func asks(
    _ words: String = "The customer asks Apple for the money back.", reason: String = "UNINTENDED_PURCHASE"
  ) -> Step {
    Step { (scene) throws(CommandError) in
      scene.requests += 1
      let count = scene.requests
      try scene.stage.simulator(
        .post, "refund-requests",
        ["transaction": .string(scene.purchase.transaction), "consumptionRequestReason": .string(reason)])
      let page = try scene.wait(for: "\(count) refund request\(count == 1 ? "" : "s") in the case") { page in
        page.requests.count == count
      }
      let request = page.requests[count - 1]
      scene.tell(
        "\(words) The App Store posts a signed CONSUMPTION_REQUEST (\(reason)). "
          + "An answer is due by \(DemoClock.text(request.due)); the window closes at \(DemoClock.text(request.closed)).",
        at: request.receivedAt)
    }
  }
}

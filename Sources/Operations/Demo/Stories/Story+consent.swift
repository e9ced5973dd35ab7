import Contracts
import JSON
import Service

/// Nobody's data goes to Apple unless they agreed.
extension Story {
  static let consentInTime = Story(
    title: "Consent that comes in time",
    about: "The customer was never asked, so the request waits. The app asks now, and the customer agrees.",
    purchase: DemoPurchase(400, product: "500", price: 4_990),
    steps: [
      .buys("A customer buys 500 coins."),
      .evidence("50 of 500 units are used", ["unitsGranted": 500, "unitsUsed": 50]),
      .asks(), .waits(for: "consent of the customer"),
      .consent("The customer agrees in the app, and the back end tells it."),
      .answered(delivered(10_000), "The request waits no longer. Apple is told at once, and takes it:"),
      .decides("REFUND"), .ends("refunded in full"),
    ])

  /// Before the window's end, where the play goes on.
  private static let beforeEnd: Int64 = 60_000

  static let noConsent = Story(
    title: "A customer without consent",
    about: "This customer never agrees. Nothing is ever sent, and the case says why.",
    purchase: DemoPurchase(300, product: "1000"),
    steps: [
      .buys("A customer buys 1,000 coins."),
      .evidence("940 of 1,000 units are used", ["unitsGranted": 1000, "unitsUsed": 940]),
      .asks(), .waits(for: "consent of the customer"),
      Step { (scene) throws(CommandError) in
        guard let closed = try scene.page()?.requests.last?.closed else {
          throw Scene.wrong(expected: "a window that closes", found: "none")
        }
        try scene.stage.restart(DemoClock(showing: closed - beforeEnd, speed: speedStandard))
        scene.tell(
          "Hours pass: all programs were stopped, and started again with the clock a minute before the window closes.",
          at: closed - beforeEnd)
      },
      .withheld(.noConsent),
    ])
}

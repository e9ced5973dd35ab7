import Contracts
import EventLog
import HTTPTypes
import JSON

/// What comes twice, late, or in another order than it happened.
extension Story {
  static let askedTwice = Story(
    title: "Asked twice for one purchase",
    about: "Refused once, the customer asks again. That is a request of its own, with a window of its own.",
    purchase: DemoPurchase(100, product: "1000"),
    steps: [
      .buys("A customer buys 1,000 coins."), .consent(),
      .evidence("500 of 1,000 units are used", ["unitsGranted": 1000, "unitsUsed": 500]),
      .asks(), .answered(delivered(50_000)), .decides("REFUND_DECLINED"), .ends("declined"),
      .minutePasses(), .evidence("600 of 1,000 units are used by now", ["unitsGranted": 1000, "unitsUsed": 600]),
      .asks("The customer asks again.", reason: "UNSATISFIED_WITH_PURCHASE"), .answered(delivered(60_000)),
      Step { (scene) throws(CommandError) in
        guard let page = try scene.page(), page.requests.count == 2 else {
          throw Scene.wrong(expected: "two refund requests in one case", found: "another number")
        }
        let (first, second) = (page.requests[0], page.requests[1])
        guard first.id != second.id, first.closed < second.closed else {
          throw Scene.wrong(
            expected: "two requests, each with an id and a window of its own",
            found: "\(first.id) until \(first.closed), \(second.id) until \(second.closed)")
        }
      },
      .decides("REFUND"), .ends("declined", "refunded in full", answers: 2),
    ])

  static let deliveredTwice = Story(
    title: "A notification comes twice",
    about: "The App Store posts the same notification twice at once, as it may. One of the two becomes an event.",
    purchase: DemoPurchase(110, product: "500", price: 4_990),
    steps: [
      .buys("A customer buys 500 coins."), .consent(),
      .orders(["fault": "duplicate", "copies": 2, "together": true, "notificationType": "CONSUMPTION_REQUEST"]),
      .asks(),
      Step { (scene) throws(CommandError) in
        let statuses = try scene.attempts(of: "CONSUMPTION_REQUEST").map { $0["status"]?.int64 ?? 0 }
        try scene.expect("what the receiver said to the two", statuses, is: [200, 200])
        let events = try scene.events().filter { $0.type == EventType.notificationReceived.rawValue }
        try scene.expect("events of it in the log", events.count, is: 1)
        scene.tell("It was posted twice at once. The receiver said 200 both times; the log holds it once.")
      },
      .answered(delivered), .decides("REFUND_DECLINED"), .ends("declined"),
    ])

  static let outOfOrder = Story(
    title: "A decision before its request",
    about: "The refund request gets held up on the way, and Apple's decision arrives first.",
    purchase: DemoPurchase(111, product: "500", price: 4_990),
    steps: [
      .buys("A customer buys 500 coins."), .consent(),
      .orders(["fault": "hold", "notificationType": "CONSUMPTION_REQUEST"]),
      Step("The customer asks Apple for the money back. The CONSUMPTION_REQUEST is signed, and held up on the way.") {
        (scene) throws(CommandError) in
        try scene.stage.simulator(.post, "refund-requests", ["transaction": .string(scene.purchase.transaction)])
        scene.requests = 1
      },
      .decides("REFUND", [:], "Meanwhile Apple decides"), .ends("refunded in full", answers: 0),
      Step { (scene) throws(CommandError) in
        let page = try scene.wait(for: "the request, after its decision") { $0.requests.count == 1 }
        scene.tell("Only now the CONSUMPTION_REQUEST arrives.", at: page.requests[0].receivedAt)
      },
      .withheld(.alreadyDecided),
    ])
}

extension Step {
  /// Long enough for two windows to be told apart.
  fileprivate static func minutePasses() -> Step {
    Step { (scene) throws(CommandError) in
      let end = scene.stage.clock.now + 60_000
      _ = try scene.stage.look { scene.stage.clock.now >= end ? true : nil }
    }
  }

  /// Something goes wrong at the App Store for this purchase, once.
  static func orders(_ fault: JSONObject) -> Step {
    Step { (scene) throws(CommandError) in
      var order = fault
      order["transactionId"] = .string(scene.purchase.transaction)
      try scene.stage.simulator(.post, "faults", .object(order))
    }
  }
}

extension Scene {
  /// How a notification of the purchase was delivered, attempt by attempt.
  func attempts(of type: String) throws(CommandError) -> [JSONValue] {
    let posted = try stage.simulator(.get, "notifications?transactionId=\(purchase.transaction)")
    return (posted["notifications"]?.array ?? []).filter { $0["notificationType"]?.string == type }
      .flatMap { $0["sendAttempts"]?.array ?? [] }
  }
}

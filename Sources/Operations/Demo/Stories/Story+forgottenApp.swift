import Contracts
import HTTPTypes
import JSON

/// What is genuine is kept, also where nobody set its app up.
extension Story {
  static let forgottenApp = Story(
    title: "An app nobody had set up",
    about: "A refund request for an app that is missing in the settings. It is genuine, so it is kept: parked.",
    purchase: {
      var purchase = DemoPurchase(140, product: "gems")
      purchase.bundleID = DemoSettings.forgottenBundleID
      purchase.product = "\(DemoSettings.forgottenBundleID).100"
      return purchase
    }(),
    steps: [
      Step { (scene) throws(CommandError) in
        var members = scene.purchase.members
        members["transactionId"] = .string(scene.purchase.transaction)
        let posted = try scene.stage.simulator(
          .post, "refund-requests",
          [
            "transaction": .object(members), "bundleId": .string(scene.purchase.bundleID),
            "appAppleId": .number(JSONNumber(DemoSettings.forgottenAppAppleID)),
          ])
        try scene.expect("what the receiver said", posted["status"]?.int64, is: 200)
        try scene.expect("events in the log", try scene.events().count, is: 0)
        let alarm = "genuine notification parked"
        let isTold = try scene.stage.look {
          let printed = scene.stage.printed(by: .receiver)
          return printed.contains(alarm) && printed.contains(scene.purchase.bundleID) ? true : nil
        }
        if isTold == nil { throw Scene.wrong(expected: "an alarm in the receiver's lines", found: "none") }
        scene.tell(
          "A customer of \(scene.purchase.bundleID) asks Apple for the money back. The receiver says 200, parks the "
            + "notification, and tells the operator in an alarm line.")
      },
      Step { (scene) throws(CommandError) in
        let added = scene.stage.clock.now
        let before = scene.stage.printed(by: .responder).utf8.count
        try scene.stage.operate(
          AppsAdd.self,
          [
            "--bundle-id", scene.purchase.bundleID, "--app-id", "\(DemoSettings.forgottenAppAppleID)", "--environments",
            DemoSettings.environment, "--key", "\(scene.stage.folder)/simulator/api-key.p8", "--key-id",
            DemoSettings.keyID, "--issuer", DemoSettings.issuerID, "--delivered", "yes", "--sample", "no",
          ])
        scene.tell("The operator adds the app: refundlog apps add. Nothing is restarted.", at: added)
        scene.requests = 1
        // Each service looks at its settings by itself; the back end's word for the app counts from then on.
        let isTaken = try scene.stage.look {
          scene.stage.printed(by: .responder).utf8.dropFirst(before).firstRange(of: "settings taken".utf8).map { _ in
            true
          }
        }
        if isTaken == nil { throw Scene.wrong(expected: "a responder that takes the settings", found: "none") }
        let page = try scene.wait(for: "a case of what was parked") { $0.requests.count == 1 }
        let request = page.requests[0]
        guard request.receivedAt < added else {
          throw Scene.wrong(expected: "a window that began before the app was added", found: "a new one")
        }
        scene.tell(
          "What was parked becomes a case, with the time it truly has left: it was received at "
            + "\(DemoClock.text(request.receivedAt)), so the window closes at \(DemoClock.text(request.closed)).")
      },
      .consent(), .answered(delivered), .decides("REFUND_DECLINED"), .ends("declined"),
    ])
}

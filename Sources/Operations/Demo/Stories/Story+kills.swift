import Contracts
import EventLog
import HTTPTypes
import JSON
import Service

/// Programs that are killed in the middle of their work.
extension Story {
  static let responderKilled = Story(
    title: "The responder is killed",
    about: """
      The App Store fails at the first attempt. Before the second one, the responder is killed (SIGKILL). Another one \
      finds everything in the log.
      """,
    purchase: DemoPurchase(120, product: "1000"),
    steps: [
      .buys("A customer buys 1,000 coins."), .consent(),
      .evidence("700 of 1,000 units are used", ["unitsGranted": 1000, "unitsUsed": 700]),
      .orders(["fault": "serverError"]), .asks(),
      Step { (scene) throws(CommandError) in
        _ = try scene.wait(for: "a first attempt that failed") { $0.requests.last?.attempts.first?.state == .failed }
        scene.stage.kill(.responder)
        scene.tell("The first attempt: the App Store is in trouble and replies 500. Then the responder is killed.")
        try scene.expect("answers that Apple took by then", try scene.taken().count, is: 0)
        try scene.stage.start(.responder)
        scene.tell("A new responder starts, reads the log, and makes the second attempt.")
      },
      .answered(delivered(70_000)),
      Step { (scene) throws(CommandError) in
        try scene.expect("calls at the App Store", try scene.calls().map { $0["status"]?.int64 ?? 0 }, is: [500, 202])
      },
      .decides("REFUND_DECLINED"), .ends("declined"),
    ])

  /// Half an hour a second: the App Store tries again after an hour.
  private static let fast: Int64 = 1_800

  static let receiverKilled = Story(
    title: "The receiver is killed",
    about: """
      Thirty customers buy at the same time, and the receiver is killed in the middle of their notifications. What it \
      had not acknowledged, the App Store posts again an hour later.
      """,
    purchase: DemoPurchase(130, product: "1000"), speed: fast,
    steps: [
      Step { (scene) throws(CommandError) in
        let crowd = Crowd(stage: scene.stage)
        scene.tell(
          "From here on the clock runs half an hour a second. \(Crowd.customers) customers buy at once; the App Store "
            + "posts a signed ONE_TIME_CHARGE for each.")
        let acknowledged = crowd.buy { scene.stage.kill(.receiver) }
        scene.tell(
          "The receiver was killed in the middle: \(acknowledged) of \(Crowd.customers) notifications are acknowledged. "
            + "Another one is started.")
        try scene.stage.start(.receiver)
        guard acknowledged < Crowd.customers else {
          throw Scene.wrong(expected: "notifications that were not acknowledged", found: "none")
        }
        let again = try crowd.waitUntilAllAreTaken()
        scene.tell("The App Store has posted \(again) of them again.")
        try scene.expect("events of each notification", try crowd.events(), is: Set([1]))
        scene.tell("In the log, each of the \(Crowd.customers) notifications stands exactly once.")
        scene.row = (
          "nothing: nobody asked", "\(Crowd.customers) of \(Crowd.customers) in the log, once each"
        )
      }
    ])
}

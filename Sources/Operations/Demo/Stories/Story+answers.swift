import HTTPTypes
import JSON

/// What Apple is told, by kind of purchase.
extension Story {
  /// The body for what is delivered, without a share used.
  static let delivered = #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#

  /// The body for what is delivered and used by so many thousandths of a percent.
  static func delivered(_ share: Int) -> String { "\(delivered.dropLast()),\"consumptionPercentage\":\(share)}" }

  static let coinPack = Story(
    title: "A coin pack, almost used up",
    about: "A customer bought 1,000 coins and has spent 940 of them. Apple counts in thousandths of a percent.",
    purchase: DemoPurchase(940, product: "1000"),
    steps: [
      .buys("A customer buys 1,000 coins."), .consent(),
      .evidence("940 of 1,000 units are used", ["unitsGranted": 1000, "unitsUsed": 940]),
      .asks(reason: "UNSATISFIED_WITH_PURCHASE"), .answered(delivered(94_000)), .decides("REFUND_DECLINED"),
      .ends("declined"),
    ])

  static let subscription = Story(
    title: "A subscription that renewed",
    about: """
      A monthly subscription has renewed, and the customer wants this month's money back. Apple works out itself how \
      much of a subscription was used, and refuses a body that states it.
      """,
    purchase: DemoPurchase(200, product: "monthly", type: "Auto-Renewable Subscription", price: 4_990),
    steps: [
      .buys("A customer subscribes."), .consent(),
      Step { (scene) throws(CommandError) in
        let original = scene.purchase.transaction
        let posted = try scene.stage.simulator(
          .post, "events", ["notificationType": "DID_RENEW", "transaction": .string(original)])
        guard let renewal = posted["transactionId"]?.string, renewal != original else {
          throw Scene.wrong(expected: "a renewal with a transaction id of its own", found: posted.text())
        }
        scene.purchase.transaction = renewal
        scene.tell("The subscription renews: DID_RENEW, transaction \(renewal); the original one is \(original).")
      },
      .asks(), .answered(delivered, "Apple is told under the renewal's own transaction id, without a share used:"),
      Step { (scene) throws(CommandError) in
        let about = try scene.calls().compactMap { $0["transactionId"]?.string }
        try scene.expect("transactions that Apple was told about", about, is: [scene.purchase.transaction])
      },
      .decides("REFUND_DECLINED"), .ends("declined"),
    ])

  static let outage = Story(
    title: "Never delivered: an outage",
    about: "The servers were down when the customer bought, and nothing ever arrived. The back end says so itself.",
    purchase: DemoPurchase(500, product: "sword", price: 2_990),
    steps: [
      .buys("A customer buys a sword, and does not get it."), .consent(),
      .evidence(
        "not delivered because of a server outage, nothing used",
        ["deliveryStatus": "UNDELIVERED_SERVER_OUTAGE", "consumptionPercentage": 0]),
      .asks(reason: "FULFILLMENT_ISSUE"),
      .answered(
        #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE","#
          + #""consumptionPercentage":0}"#),
      .decides("REFUND"), .ends("refunded in full"),
    ])
}

import JSON

/// How Apple may decide; what it was told binds it to nothing.
extension Story {
  static let refundedInFull = Story(
    title: "A refund in full",
    about: "Bought by accident, and not touched since.",
    purchase: DemoPurchase(600, product: "500", price: 4_990),
    steps: [
      .buys("A customer buys 500 coins."), .consent(),
      .evidence("0 of 500 units are used", ["unitsGranted": 500, "unitsUsed": 0]),
      .asks(), .answered(delivered(0)),
      .decides("REFUND", ["revocationType": "REFUND_FULL"]), .ends("refunded in full"),
    ])

  static let refundedInPart = Story(
    title: "A refund in part",
    about: "A pass for 100 days, of which 25 are over. Apple decides how much it gives back, and says it.",
    purchase: DemoPurchase(700, product: "pass", type: "Non-Renewing Subscription", price: 19_990),
    steps: [
      .buys("A customer buys a pass for 100 days."), .consent(),
      .evidence("25 of 100 units are used", ["unitsGranted": 100, "unitsUsed": 25]),
      .asks(reason: "UNSATISFIED_WITH_PURCHASE"), .answered(delivered(25_000)),
      .decides("REFUND", ["revocationType": "REFUND_PRORATED", "revocationPercentage": 75_000]),
      .ends("refunded in part, 75 %"),
    ])

  static let declined = Story(
    title: "A refund declined",
    about: "A book that was read to its end.",
    purchase: DemoPurchase(800, product: "book", type: "Non-Consumable", price: 6_990),
    steps: [
      .buys("A customer buys a book."), .consent(),
      .evidence("all of it is used", ["consumptionPercentage": 100_000]),
      .asks(reason: "OTHER"), .answered(delivered(100_000)), .decides("REFUND_DECLINED"), .ends("declined"),
    ])

  static let reversed = Story(
    title: "A refund that is reversed",
    about: "Apple refunds, and later reverses the refund after a dispute. Both stay known.",
    purchase: DemoPurchase(900, product: "1000"),
    steps: [
      .buys("A customer buys 1,000 coins."), .consent(),
      .evidence("300 of 1,000 units are used", ["unitsGranted": 1000, "unitsUsed": 300]),
      .asks(), .answered(delivered(30_000)), .decides("REFUND"), .ends("refunded in full"),
      .decides("REFUND_REVERSED", [:], "After a dispute Apple reverses the refund"),
      .ends("refunded in full", "reversed"),
    ])
}

/// One story of the play: what it is about, what happens, and what has to hold.
struct Story: Sendable {
  /// What one second of the machine's clock is on the play's: two minutes, slow enough for all that has its time in real
  /// seconds, such as a token that a call shows.
  static let speedStandard: Int64 = 120

  let title: String
  /// For somebody who has never heard of it; a sentence or two.
  let about: String
  let purchase: DemoPurchase
  /// How much faster than the machine's the clock runs while it is told.
  var speed = Story.speedStandard
  let steps: [Step]

  /// All of them, in the order in which they are told.
  static var all: [Story] {
    [
      coinPack, subscription, consentInTime, outage, refundedInFull, refundedInPart, declined, reversed, askedTwice,
      deliveredTwice, outOfOrder, responderKilled, forgottenApp, noConsent, receiverKilled,
    ]
  }
}

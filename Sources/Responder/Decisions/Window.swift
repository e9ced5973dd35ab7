/// The two instants of a refund request, milliseconds since 1970, UTC.
struct Window: Equatable, Sendable {
  /// 12 hours after the earlier of signing and first receipt, less a margin; in the sandbox 5 minutes after. Orders
  /// the queue; past it an answer is late.
  let due: Int64
  /// 12 hours after first receipt: past it nothing is sent. A receipt from before the signing was dated by a clock that
  /// was behind; then the signing counts.
  let closed: Int64
  /// A week after signing: past it nothing is sent, whenever it was received.
  let stale: Int64
  /// When a person's hold ends by itself, so that time is left to answer.
  let holdEnd: Int64
  /// The latest that an attempt is put off to, whatever the App Store says about when to come again.
  let lastCall: Int64

  private static let hour: Int64 = 3_600_000
  private static let margin: Int64 = 600_000
  private static let sandboxDue: Int64 = 300_000
  private static let lastCallBeforeClosed: Int64 = 120_000

  init(_ request: RefundRequest, environment: String) {
    let start = min(request.signedAt, request.receivedAt)
    due = environment == "Sandbox" ? start + Self.sandboxDue : start + 12 * Self.hour - Self.margin
    closed = max(request.receivedAt, request.signedAt) + 12 * Self.hour
    stale = request.signedAt + 7 * 24 * Self.hour
    // The sandbox decides within a minute or so; there a hold lasts as long as anyone may look.
    holdEnd = environment == "Sandbox" ? closed - Self.margin : due - 2 * Self.hour
    lastCall = closed - Self.lastCallBeforeClosed
  }
}

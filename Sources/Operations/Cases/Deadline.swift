/// The two instants of a refund request beside the clock.
struct Deadline {
  let now: Int64

  /// `in 3 h 12 min`, or how long it has been late.
  func due(_ instant: Int64) -> String {
    instant > now ? "in \(Shown.span(instant - now))" : "late since \(Shown.span(now - instant))"
  }

  func closed(_ instant: Int64) -> String {
    instant > now ? "in \(Shown.span(instant - now))" : "\(Shown.span(now - instant)) ago"
  }
}

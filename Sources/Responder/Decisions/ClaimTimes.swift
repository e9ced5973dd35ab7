/// How long things may take on the clock in use; a clock that runs faster gives each of them as much real time.
struct ClaimTimes: Equatable, Sendable {
  /// From the claim to the last instant at which the call may start.
  var claimToSend: Int64
  /// From there to the instant at which a claim without a result counts as unknown.
  var sendToUnknown: Int64
  /// From the claim until it must have ended, in milliseconds of the real world.
  static let life: Int64 = 55_000

  /// What was claimed farther ahead than this was claimed by a clock that was wrong.
  static let clockAheadMax: Int64 = 300_000

  /// - Parameter speed: of the clock, see `WallClock.speed`.
  init(speed: Double) {
    func scaled(_ milliseconds: Int64) -> Int64 { Int64(Double(milliseconds) * max(1, speed)) }
    claimToSend = scaled(20_000)
    sendToUnknown = scaled(35_000)
  }
}

/// How much is noted of bodies that can never become good. Past a bound the note that was seen
/// longest ago goes.
public struct QuarantineLimits: Sendable, Equatable {
  public var count = 1_000
  public var bytes = 16 << 20
  public var ageMilliseconds: Int64 = 30 * 86_400_000

  public init() {}
}

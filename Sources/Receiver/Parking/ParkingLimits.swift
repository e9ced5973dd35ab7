/// How much is parked. Nothing is ever pushed out: past a bound the App Store is told to come
/// again.
public struct ParkingLimits: Sendable, Equatable {
  public struct Amount: Sendable, Equatable {
    public var count: Int
    /// Of tokens.
    public var bytes: Int

    public init(count: Int, bytes: Int) {
      self.count = count
      self.bytes = bytes
    }
  }

  /// For each app in the settings.
  public var perApp = Amount(count: 50_000, bytes: 1 << 30)
  /// For each bundle that is not in the settings.
  public var perForeignBundle = Amount(count: 1_000, bytes: 32 << 20)
  /// For all such bundles together, in each of the two shares of `ParkingShare`.
  public var foreign = Amount(count: 10_000, bytes: 256 << 20)

  public init() {}
}

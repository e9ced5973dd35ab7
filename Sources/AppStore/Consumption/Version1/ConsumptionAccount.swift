/// What only version 1 asks about the customer and the account; all of it required there, and each with a number for
/// «undeclared», which is what stands here until somebody states it.
public struct ConsumptionAccount: Sendable, Hashable {
  public var platform: ConsumptionPlatform
  public var tenure: AccountTenure
  public var playTime: PlayTime
  public var refunded: LifetimeDollars
  public var purchased: LifetimeDollars
  public var status: UserStatus

  public init(
    platform: ConsumptionPlatform = .undeclared, tenure: AccountTenure = .undeclared, playTime: PlayTime = .undeclared,
    refunded: LifetimeDollars = .undeclared, purchased: LifetimeDollars = .undeclared, status: UserStatus = .undeclared
  ) {
    self.platform = platform
    self.tenure = tenure
    self.playTime = playTime
    self.refunded = refunded
    self.purchased = purchased
    self.status = status
  }
}

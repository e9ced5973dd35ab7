/// What only Apple's endpoint version 1 asks about a customer, as numbers of Apple's tables.
/// Source: App Store Server API, «ConsumptionRequestV1».
public struct AccountValues: Sendable, Hashable {
  /// Age of the account, 0 to 7.
  public var accountTenure: Int64?
  /// Time of use, 0 to 7.
  public var playTime: Int64?
  /// Sum refunded, 0 to 7.
  public var lifetimeDollarsRefunded: Int64?
  /// Sum bought, 0 to 7.
  public var lifetimeDollarsPurchased: Int64?
  /// State of the account, 0 to 4.
  public var userStatus: Int64?
  /// Where it was used, 0 to 2.
  public var platform: Int64?

  public init(
    accountTenure: Int64? = nil, playTime: Int64? = nil, lifetimeDollarsRefunded: Int64? = nil,
    lifetimeDollarsPurchased: Int64? = nil, userStatus: Int64? = nil, platform: Int64? = nil
  ) {
    self.accountTenure = accountTenure
    self.playTime = playTime
    self.lifetimeDollarsRefunded = lifetimeDollarsRefunded
    self.lifetimeDollarsPurchased = lifetimeDollarsPurchased
    self.userStatus = userStatus
    self.platform = platform
  }

  init<Reader: OptionalMembers>(members: inout Reader) throws(Reader.Failure) {
    accountTenure = try members.optional("accountTenure", .integer(in: 0...7))
    playTime = try members.optional("playTime", .integer(in: 0...7))
    lifetimeDollarsRefunded = try members.optional("lifetimeDollarsRefunded", .integer(in: 0...7))
    lifetimeDollarsPurchased = try members.optional("lifetimeDollarsPurchased", .integer(in: 0...7))
    userStatus = try members.optional("userStatus", .integer(in: 0...4))
    platform = try members.optional("platform", .integer(in: 0...2))
  }

  func write(to members: inout MemberWriter) {
    members.put("accountTenure", accountTenure)
    members.put("playTime", playTime)
    members.put("lifetimeDollarsRefunded", lifetimeDollarsRefunded)
    members.put("lifetimeDollarsPurchased", lifetimeDollarsPurchased)
    members.put("userStatus", userStatus)
    members.put("platform", platform)
  }
}

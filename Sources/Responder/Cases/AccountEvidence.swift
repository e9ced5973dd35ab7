import Contracts

/// What is known of a customer's account, in the numbers of Apple's endpoint version 1; absent is not stated.
struct AccountEvidence: Codable, Equatable, Sendable {
  var accountTenure: Stated<Int64>?
  var lifetimeDollarsPurchased: Stated<Int64>?
  var lifetimeDollarsRefunded: Stated<Int64>?
  var platform: Stated<Int64>?
  var playTime: Stated<Int64>?
  var userStatus: Stated<Int64>?

  /// By name, as Apple spells it, in one order.
  static var members: [(name: String, value: KeyPath<AccountEvidence, Stated<Int64>?>)] {
    [
      ("accountTenure", \.accountTenure), ("lifetimeDollarsPurchased", \.lifetimeDollarsPurchased),
      ("lifetimeDollarsRefunded", \.lifetimeDollarsRefunded), ("platform", \.platform), ("playTime", \.playTime),
      ("userStatus", \.userStatus),
    ]
  }

  /// What is not stated here is taken from there; it is the same customer's account.
  func completed(by other: AccountEvidence?) -> AccountEvidence {
    guard let other else { return self }
    return AccountEvidence(
      accountTenure: accountTenure ?? other.accountTenure,
      lifetimeDollarsPurchased: lifetimeDollarsPurchased ?? other.lifetimeDollarsPurchased,
      lifetimeDollarsRefunded: lifetimeDollarsRefunded ?? other.lifetimeDollarsRefunded,
      platform: platform ?? other.platform, playTime: playTime ?? other.playTime,
      userStatus: userStatus ?? other.userStatus)
  }

  mutating func fold(_ values: AccountValues, _ stated: (Int64) -> Stated<Int64>) {
    if let value = values.accountTenure { accountTenure = .newer(accountTenure, stated(value)) }
    if let value = values.lifetimeDollarsPurchased {
      lifetimeDollarsPurchased = .newer(lifetimeDollarsPurchased, stated(value))
    }
    if let value = values.lifetimeDollarsRefunded {
      lifetimeDollarsRefunded = .newer(lifetimeDollarsRefunded, stated(value))
    }
    if let value = values.platform { platform = .newer(platform, stated(value)) }
    if let value = values.playTime { playTime = .newer(playTime, stated(value)) }
    if let value = values.userStatus { userStatus = .newer(userStatus, stated(value)) }
  }
}

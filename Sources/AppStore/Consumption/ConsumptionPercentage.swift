/// How much of a purchase was used, in thousandths of a percent: 40000 is 40 %, 15 is 0.015 %. Source: App Store
/// Server API, «consumptionPercentage».
public struct ConsumptionPercentage: Sendable, Hashable, Comparable {
  public static let range: ClosedRange<Int64> = 0...100_000
  public static let none = ConsumptionPercentage(verified: 0)
  public static let all = ConsumptionPercentage(verified: 100_000)

  public let milliunits: Int64

  /// - Throws: `percentageOutOfRange` outside 0…100000.
  public init(milliunits: Int64) throws(ConsumptionRequestError) {
    guard Self.range.contains(milliunits) else { throw .percentageOutOfRange(milliunits) }
    self.milliunits = milliunits
  }

  /// The share of `used` in `granted`, rounded to the nearest; nil where that is no share.
  public init?(used: Int64, of granted: Int64) {
    guard granted > 0, used >= 0, used <= granted else { return nil }
    let product = UInt64(used).multipliedFullWidth(by: 100_000)
    let (quotient, rest) = UInt64(granted).dividingFullWidth(product)
    self.init(verified: Int64(quotient) + (rest >= UInt64(granted) - rest ? 1 : 0))
  }

  private init(verified milliunits: Int64) { self.milliunits = milliunits }

  /// 1 to 100: allowed, and almost surely whole percents that nobody multiplied by 1000. To be asked about before it is
  /// sent.
  public var looksLikeWholePercent: Bool { (1...100).contains(milliunits) }

  public static func < (left: Self, right: Self) -> Bool { left.milliunits < right.milliunits }
}

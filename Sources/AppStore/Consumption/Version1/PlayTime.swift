/// How long the customer used the app. Source: App Store Server API, «playTime» of version 1, where a border stands in two
/// rows; here it belongs to the upper one.
public enum PlayTime: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case under5Minutes = 1
  case under1Hour = 2
  case under6Hours = 3
  case under24Hours = 4
  case under4Days = 5
  case under16Days = 6
  case longer = 7

  /// - Parameter milliseconds: of use in all; below 0 it is none, and undeclared.
  public init(milliseconds: Int64) {
    let (minute, hour): (Int64, Int64) = (60_000, 3_600_000)
    self =
      switch milliseconds {
      case ..<0: .undeclared
      case ..<(5 * minute): .under5Minutes
      case ..<hour: .under1Hour
      case ..<(6 * hour): .under6Hours
      case ..<(24 * hour): .under24Hours
      case ..<(96 * hour): .under4Days
      case ..<(384 * hour): .under16Days
      default: .longer
      }
  }
}

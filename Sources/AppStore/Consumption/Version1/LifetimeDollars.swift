/// A sum in US dollars over all of a customer's purchases, or refunds, in the app. Source: App Store Server API,
/// «lifetimeDollarsPurchased» and «lifetimeDollarsRefunded» of version 1. Exactly 2,000 dollars stands in no row there;
/// here it belongs to the upper one.
public enum LifetimeDollars: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case nothing = 1
  case under50 = 2
  case under100 = 3
  case under500 = 4
  case under1000 = 5
  case under2000 = 6
  case more = 7

  /// - Parameter cents: US cents; below 0 it is no sum, and undeclared.
  public init(cents: Int64) {
    self =
      switch cents {
      case ..<0: .undeclared
      case 0: .nothing
      case ..<5_000: .under50
      case ..<10_000: .under100
      case ..<50_000: .under500
      case ..<100_000: .under1000
      case ..<200_000: .under2000
      default: .more
      }
  }
}

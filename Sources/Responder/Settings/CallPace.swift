/// How many calls the App Store is given a second.
///
/// Apple's figures hold for each app and kind of call; the sandbox has a tenth. The developer's back end calls too, so not
/// all of them is used.
/// Source: App Store Server API, «Identifying rate limits».
public struct CallPace: Sendable, Equatable {
  /// Apple's figure for Send Consumption Information in Production, calls a second.
  public var consumptionPerSecond: Int
  /// How much of Apple's figures is used, in percent.
  public var percent: Int

  public init(consumptionPerSecond: Int = 50, percent: Int = 80) {
    self.consumptionPerSecond = consumptionPerSecond
    self.percent = percent
  }

  /// Calls a second that we make at most.
  func perSecond(_ lane: CallLane) -> Double {
    let figure =
      switch lane.kind {
      case .consumption: consumptionPerSecond
      }
    return Double(figure * percent) / 100 / (lane.gate.environment == "Sandbox" ? 10 : 1)
  }
}

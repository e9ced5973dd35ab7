public import JSON

/// One step in the history of an event's shape: makes the data of one version into data of the next.
///
/// What stands in the log is never changed by it, and neither is any way out: a step serves reading alone.
public struct Upcaster: Sendable {
  public let type: EventType
  /// The version whose data it takes; what it gives is of the version after that.
  public let from: Int64
  /// Members it does not name must be handed on as they came.
  let step: @Sendable (JSONObject) throws(ContractError) -> JSONObject

  /// - Precondition: `from` is 1 or more.
  public init(
    _ type: EventType, from: Int64, _ step: @escaping @Sendable (JSONObject) throws(ContractError) -> JSONObject
  ) {
    precondition(from >= 1, "versions begin at 1")
    self.type = type
    self.from = from
    self.step = step
  }
}

import JSON

/// Every step from an older version of an event to the next one, so that a log is readable for ever.
///
/// Data is brought to the newest version first and decoded then: the Swift value of an event knows one shape, the
/// newest. Data that is of the newest version already is not looked at here.
public struct Upcasters: Sendable {
  private let steps: [Place: Upcaster]
  private let newest: [EventType: Int64]

  private struct Place: Hashable {
    var type: EventType
    var from: Int64
  }

  /// - Parameters:
  ///   - steps: at most one from each version of a type.
  ///   - newest: versions that a type has other than `EventType.schema`, in a history that is not this release's own.
  public init(_ steps: [Upcaster], newest: [EventType: Int64] = [:]) {
    var byPlace: [Place: Upcaster] = [:]
    for step in steps {
      let before = byPlace.updateValue(step, forKey: Place(type: step.type, from: step.from))
      precondition(before == nil, "\(step.type.rawValue) has two steps from version \(step.from)")
    }
    self.steps = byPlace
    self.newest = newest
  }

  /// The version that the Swift value of a type reads.
  public func newest(of type: EventType) -> Int64 { newest.isEmpty ? type.schema : newest[type] ?? type.schema }

  /// The data in the shape of the newest version; the same bytes where they are of it.
  /// - Parameter schema: the column `schema`.
  /// - Throws: `ContractError` where a newer release wrote the event, where no step leads on, or where a step throws.
  public func newest(_ data: [UInt8], of type: EventType, schema: Int64) throws(ContractError) -> [UInt8] {
    let newest = newest(of: type)
    if schema == newest { return data }
    guard schema >= 1, schema < newest else {
      throw ContractError(
        event: type.rawValue, member: "", found: "version \(schema)",
        allowed: (newest == 1 ? "version 1" : "version 1 to \(newest)")
          + (schema > newest ? "; a newer release wrote it, and reads it" : ""))
    }
    var members = try type.object(type.root(of: data))
    for version in schema..<newest {
      guard let upcaster = steps[Place(type: type, from: version)] else {
        throw ContractError(
          event: type.rawValue, member: "", found: "version \(version)",
          allowed: "one that a step leads on from; this release lacks that step")
      }
      members = try upcaster.step(members)
    }
    return JSONValue.object(members).bytes()
  }
}

/// What is wrong in a scenario file: all of it at once, each with line and column and what is allowed.
public struct ScenarioFileError: Error, Equatable, CustomStringConvertible {
  public let faults: [String]

  public var description: String { faults.joined(separator: "\n") }
}

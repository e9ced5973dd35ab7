/// Everything that is wrong with the settings, each in one sentence: where, which key, what stands there, what is
/// allowed. Nothing was started.
public struct SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
  public var faults: [String]
  public var description: String { faults.joined(separator: "\n") }
}

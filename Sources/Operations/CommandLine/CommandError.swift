public import Service

/// Why a command did not do what it was asked, and the code to end with.
public struct CommandError: Error, Equatable, Sendable, CustomStringConvertible {
  public var code: ExitCode
  public var description: String

  public init(_ code: ExitCode, _ description: String) {
    self.code = code
    self.description = description
  }
}

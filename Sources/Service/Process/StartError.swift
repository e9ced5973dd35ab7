/// Why a service did not start, in one or more sentences, and the code to end with.
public struct StartError: Error, Sendable, CustomStringConvertible {
  public var code: ExitCode
  public var description: String

  public init(_ code: ExitCode, _ description: String) {
    self.code = code
    self.description = description
  }
}

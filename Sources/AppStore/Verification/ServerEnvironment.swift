/// An environment that Apple's servers have, and the only ones that can be configured: what Xcode signs is signed by
/// nobody.
public enum ServerEnvironment: String, Sendable, Hashable, CaseIterable {
  case production = "Production"
  case sandbox = "Sandbox"

  /// Nil for Xcode, LocalTesting and whatever else a payload may tell.
  public init?(_ environment: Environment) {
    switch environment {
    case .production: self = .production
    case .sandbox: self = .sandbox
    case .xcode, .localTesting, .unknown: return nil
    }
  }
}

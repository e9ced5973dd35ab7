/// How much a line matters: a warning means that someone should look, an error that something was lost or refused.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
  case debug, info, warning, error

  public static func < (left: Self, right: Self) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }
}

import Glibc

/// Variables of this process's environment.
public enum ProcessVariables {
  public static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

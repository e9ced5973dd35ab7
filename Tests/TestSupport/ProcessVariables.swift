import Glibc

/// Variables of this process's environment.
enum ProcessVariables {
  static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

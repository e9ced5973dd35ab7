import Glibc

/// The variables this process was started with; read by executables only and handed on as values.
public enum ProcessEnvironment {
  public static func variables() -> [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let pointer = entry.pointee {
      let text = String(cString: pointer)
      if let mark = text.firstIndex(of: "=") {
        result[String(text[..<mark])] = String(text[text.index(after: mark)...])
      }
      entry = entry.advanced(by: 1)
    }
    return result
  }
}

import Glibc

/// Paths that mean the same wherever a program is started.
enum AbsolutePath {
  /// The path from the root, of what need not be there yet; `.` and `..` are resolved by their names.
  static func of(_ path: String) -> String {
    var whole = path
    if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
      whole = String(cString: folder) + "/" + path
      free(folder)
    }
    var parts: [Substring] = []
    for part in whole.split(separator: "/") {
      if part == "." { continue }
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// As a word that a shell reads back as it is.
  static func quoted(_ path: String) -> String {
    let isPlain =
      !path.isEmpty
      && path.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/._-+:@%,=".utf8.contains(byte)
        }
      }
    return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
  }
}

import Glibc

/// An open file that closes with its owner.
final class FileHandle: Sendable {
  let descriptor: Int32

  /// Opens for reading and writing, creating the file where it is absent. Never inherited by other programs.
  init(path: String) throws(FileFault) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    if descriptor < 0 { throw FileFault(path: path, code: errno, doing: "open") }
  }

  deinit { close(descriptor) }
}

/// A call to the operating system that failed.
struct FileFault: Error, CustomStringConvertible {
  var path: String
  var code: Int32
  var doing: String
  var description: String { "\(path): cannot \(doing): \(String(cString: strerror(code)))" }
}

import Glibc
import Service

/// An open file that closes with its owner.
final class FileHandle: Sendable {
  let descriptor: Int32

  /// Opens for reading and writing, creating the file where it is absent. Never inherited by other programs.
  init(path: String) throws(FileError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
    if descriptor < 0 { throw FileError(path: path, doing: "open") }
  }

  deinit { close(descriptor) }
}

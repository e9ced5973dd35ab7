import Glibc
import Service

/// An open file that closes with its owner.
final class FileHandle: Sendable {
  let descriptor: Int32

  /// Opens for reading and writing, creating the file where it is absent. Never inherited by other programs.
  ///
  /// Whoever owns the folder may have laid anything there: a link is not followed, and a pipe is not waited for.
  init(path: String) throws(FileError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o660)
    guard descriptor >= 0 else {
      throw errno == ELOOP
        ? FileError(path: path, doing: "open", reason: "it is a link, where the log has a file: move it away")
        : FileError(path: path, doing: "open")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileError(path: path, doing: "open", reason: "it is no file: find out who made it, and move it away")
    }
    self.descriptor = descriptor
    // What root makes in a service's folder is of use only to the service.
    try Files.give(path, toOwnerOf: Files.parent(of: path))
  }

  deinit { close(descriptor) }
}

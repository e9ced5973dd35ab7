import Glibc

/// A file that is being written beside its place, and gets its name when it is whole.
///
/// It is locked by whoever writes it. So what a killed program left is told from what another one is writing, and is
/// removed by the next that writes to the same place.
public final class FileDraft {
  private static let triesMax = 8

  public let path: String
  public let descriptor: Int32

  /// - Throws: also where another program is writing to that place at the moment.
  public init(of target: String, mode: UInt32) throws(FileError) {
    let path = target + ".refundlog-part"
    for _ in 0..<Self.triesMax {
      let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if made >= 0 {
        // Nobody removes it between the two but one that found no lock on it, and then it is not at its path any more.
        if flock(made, LOCK_EX | LOCK_NB) == 0, FileIdentity(descriptor: made) == FileIdentity(path: path) {
          self.path = path
          descriptor = made
          return
        }
        close(made)
        continue
      }
      guard errno == EEXIST else { throw FileError(path: path, doing: "open") }
      try Self.removeLeftOver(path)
    }
    throw FileError(path: path, doing: "open", reason: "others keep making it")
  }

  /// Gives it its name, on disk when this returns.
  /// - Returns: false where something has that name already.
  public func finish(as target: String) throws(FileError) -> Bool {
    guard fsync(descriptor) == 0 else { throw FileError(path: path, doing: "sync") }
    return try Files.moveIfFree(path, to: target)
  }

  private static func removeLeftOver(_ path: String) throws(FileError) {
    let found = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard found >= 0 else {
      // Gone by now.
      if errno == ENOENT { return }
      throw FileError(path: path, doing: "open")
    }
    defer { close(found) }
    guard flock(found, LOCK_EX | LOCK_NB) == 0 else {
      throw FileError(
        path: path, doing: "open", reason: "another program is writing it: wait for that one", code: EWOULDBLOCK)
    }
    if FileIdentity(descriptor: found) == FileIdentity(path: path) { unlink(path) }
  }

  deinit {
    // A finished one has another name by now.
    if FileIdentity(descriptor: descriptor) == FileIdentity(path: path) { unlink(path) }
    close(descriptor)
  }
}

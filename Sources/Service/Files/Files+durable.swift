import Glibc

extension Files {
  /// Has what was written to a file on disk when this returns, whoever wrote it.
  public static func sync(_ path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, doing: "open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileError(path: path, doing: "sync") }
  }

  /// Has the names in the folder of a path on disk.
  public static func syncFolder(of path: String) throws(FileError) {
    try sync(parent(of: path))
  }

  /// Gives a file, or a folder, another name on the same disk; it holds after a power cut when this returns. What has
  /// that name already is replaced, where it is of the same kind.
  public static func move(_ path: String, to target: String) throws(FileError) {
    guard rename(path, target) == 0 else { throw FileError(path: target, doing: "rename") }
    try syncFolder(of: target)
  }

  /// The same, refusing where anything has that name. For files.
  /// - Returns: whether it was free.
  public static func moveIfFree(_ path: String, to target: String) throws(FileError) -> Bool {
    guard link(path, target) == 0 else {
      if errno == EEXIST { return false }
      throw FileError(path: target, doing: "rename")
    }
    unlink(path)
    try syncFolder(of: target)
    return true
  }

  /// Gives a file the permissions told and, where this process may, the owner of another: what root puts into a
  /// service's folder is of use only to the service.
  public static func own(_ path: String, as other: String, mode: UInt32) throws(FileError) {
    var status = stat()
    guard stat(other, &status) == 0 else { throw FileError(path: other, doing: "look at") }
    if geteuid() == 0, chown(path, status.st_uid, status.st_gid) != 0 {
      throw FileError(path: path, doing: "give the owner of the folder to")
    }
    guard chmod(path, mode) == 0 else { throw FileError(path: path, doing: "set the permissions of") }
  }
}

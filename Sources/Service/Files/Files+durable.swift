import CLinux
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
    // A file system without hard links may know this one; one that knows neither is told of by its errno.
    guard link(path, target) == 0 || clinux_rename_if_free(path, target) == 0 else {
      if errno == EEXIST { return false }
      throw FileError(path: target, doing: "rename")
    }
    unlink(path)
    try syncFolder(of: target)
    return true
  }

  /// Gives a file the owner of another, where this process is root's: what root puts into a service's folder is of use
  /// only to the service. Of a link, the link itself.
  public static func give(_ path: String, toOwnerOf other: String) throws(FileError) {
    guard geteuid() == 0 else { return }
    var status = stat()
    guard stat(other, &status) == 0 else { throw FileError(path: other, doing: "look at") }
    var own = stat()
    guard lstat(path, &own) == 0 else { throw FileError(path: path, doing: "look at") }
    // Root of a user namespace may not give to who has no name there, also what is theirs already.
    if own.st_uid == status.st_uid, own.st_gid == status.st_gid { return }
    guard lchown(path, status.st_uid, status.st_gid) == 0 else {
      throw FileError(path: path, doing: "give the owner of the folder to")
    }
  }

  /// The same, with the permissions told.
  public static func own(_ path: String, as other: String, mode: UInt32) throws(FileError) {
    try give(path, toOwnerOf: other)
    guard chmod(path, mode) == 0 else { throw FileError(path: path, doing: "set the permissions of") }
  }
}

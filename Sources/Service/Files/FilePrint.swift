import Glibc

/// What tells one content of a file from another without reading it.
struct FilePrint: Equatable {
  private let inode: UInt
  private let size: Int
  private let changed: [Int]

  /// nil where there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}

import Glibc

/// What makes a file that file, whatever its path: the same path may lead to another one later.
public struct FileIdentity: Equatable, Sendable {
  private let device: UInt
  private let inode: UInt

  /// nil where there is none.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  public init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }
}

import Glibc

/// What tells one content of a file from another without opening it.
public struct FilePrint: Equatable, Sendable {
  private static let settledAfter: Int64 = 100_000_000

  private let inode: UInt
  private let size: Int
  private let changed: [Int]

  /// nil where there is no such file.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }

  /// Whether whoever writes the file from now on gives it another print: the clock of files goes in steps of some
  /// milliseconds, so a file that was written a moment ago may be written again within the same step.
  public var isSettled: Bool {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
    let age = Int64(now.tv_sec - changed[0]) * 1_000_000_000 + Int64(now.tv_nsec - changed[1])
    return age > Self.settledAfter
  }
}

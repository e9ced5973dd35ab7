import Glibc

/// A file that could not be read or written.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  public var path: String
  /// «open», «read», «write», «sync», «rename».
  public var doing: String
  public var reason: String

  public init(path: String, doing: String, reason: String) {
    self.path = path
    self.doing = doing
    self.reason = reason
  }

  /// With the reason of the system call that failed last on this thread.
  public init(path: String, doing: String) {
    self.init(path: path, doing: doing, reason: String(cString: strerror(errno)))
  }

  public var description: String { "\(path): cannot \(doing): \(reason)" }
}

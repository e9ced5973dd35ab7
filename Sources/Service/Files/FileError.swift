import Glibc

/// A file that could not be read or written.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  public var path: String
  /// «open», «read», «write», «sync», «rename».
  public var doing: String
  public var reason: String
  /// `errno` of the system call; 0 where none failed.
  public var code: Int32

  public init(path: String, doing: String, reason: String, code: Int32 = 0) {
    self.path = path
    self.doing = doing
    self.reason = reason
    self.code = code
  }

  /// With the reason of the system call that failed last on this thread.
  public init(path: String, doing: String) {
    let code = errno
    self.init(path: path, doing: doing, reason: String(cString: strerror(code)), code: code)
  }

  /// The reason says in words what the code is, so it is not compared.
  public static func == (left: Self, right: Self) -> Bool {
    left.path == right.path && left.doing == right.doing && left.reason == right.reason
  }

  public var description: String { "\(path): cannot \(doing): \(reason)" }
}

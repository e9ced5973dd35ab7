import Glibc

/// A folder that goes, with all that is in it, when its owner does.
public struct TemporaryFolder: ~Copyable, Sendable {
  public let path: String

  /// - Parameter inMemory: where the machine has a folder for that: a sync costs nothing there and proves nothing.
  public init(inMemory: Bool = false) {
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/refundlog-test-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template)!)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { remove(path + "/" + name) }
      }
      closedir(folder)
    }
    Glibc.remove(path)
  }
}

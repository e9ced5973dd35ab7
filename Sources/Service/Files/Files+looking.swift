import Glibc

extension Files {
  /// Names of all that is in a folder, in no order.
  public static func names(in folder: String) throws(FileError) -> [String] {
    guard let open = opendir(folder) else { throw FileError(path: folder, doing: "open") }
    defer { closedir(open) }
    var names: [String] = []
    while let entry = readdir(open) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Bytes of a file; nil where there is none.
  public static func size(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// Whether anything has that name, be it a link that leads nowhere.
  public static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  public static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The folder that a path is, or is to be, in.
  public static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A folder's path without links and dots; nil where there is none.
  public static func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Whether the disk under a path, or under the nearest folder above it, takes no writes at all.
  public static func isOnReadOnlyDisk(_ path: String) -> Bool {
    var disk = statvfs()
    var path = path
    while statvfs(path, &disk) != 0 {
      if path == "/" || path == "." { return false }
      path = parent(of: path)
    }
    return disk.f_flag & UInt(ST_RDONLY) != 0
  }
}

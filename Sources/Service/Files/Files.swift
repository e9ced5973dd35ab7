import Glibc

/// Whole files, read with a bound and written so that a crash leaves the old or the new one.
public enum Files {
  /// - Throws: also where the file is larger than `bytesMax`.
  public static func read(_ path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    // Without waiting: a pipe in the file's place that nobody writes into would hold us for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, doing: "open") }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFL, 0)
    return try read(descriptor, named: path, bytesMax: bytesMax)
  }

  /// Standard input to its end; nil where it cannot be read or is larger.
  public static func readInput(bytesMax: Int) -> [UInt8]? {
    try? read(STDIN_FILENO, named: "standard input", bytesMax: bytesMax)
  }

  private static func read(_ descriptor: Int32, named path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(bytesMax + 1, 65_536))
    var count = 0
    while true {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw FileError(path: path, doing: "read") }
      count += got
      guard count <= bytesMax else {
        throw FileError(path: path, doing: "read", reason: "it is larger than \(bytesMax) bytes")
      }
      if got == 0 { return Array(bytes[..<count]) }
      if count == bytes.count { bytes += [UInt8](repeating: 0, count: min(bytes.count, bytesMax + 1 - count)) }
    }
  }

  /// A secret of one line: the file's text without one trailing line feed.
  public static func secret(_ path: String) throws(FileError) -> [UInt8] {
    var bytes = try read(path, bytesMax: 65_536)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard !bytes.isEmpty else { throw FileError(path: path, doing: "read", reason: "it is empty") }
    return bytes
  }

  /// Whether users who are neither the file's owner nor of its group may read it; false where it cannot be told.
  public static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }

  /// Writes beside the file, syncs, and renames over it. After an error the file is as it was and the draft is gone.
  /// - Parameter mode: permissions of the new file.
  public static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o640) throws(FileError) {
    let draft = path + ".new"
    // A draft left by a crash, or laid there by somebody, has permissions of its own: never write into it.
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(path: draft, doing: "open") }
    do throws(FileError) {
      try fill(descriptor, with: bytes, draft)
      guard rename(draft, path) == 0 else { throw FileError(path: path, doing: "rename") }
    } catch {
      unlink(draft)
      throw error
    }
    try syncFolder(of: path)
  }

  /// Writes all bytes, syncs and closes.
  private static func fill(_ descriptor: Int32, with bytes: [UInt8], _ draft: String) throws(FileError) {
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written >= 0 else { throw FileError(path: draft, doing: "write") }
      rest = rest.dropFirst(written)
    }
    guard fsync(descriptor) == 0 else { throw FileError(path: draft, doing: "sync") }
  }

  /// Makes a folder where it is absent, and none above it: a disk that is not mounted looks like a folder that is not
  /// there.
  public static func makeLastFolder(_ path: String, mode: UInt32) throws(FileError) {
    if mkdir(path, mode) == 0 { return }
    if errno == ENOENT {
      throw FileError(
        path: path, doing: "make the folder",
        reason: "there is no folder \(parent(of: path)): make it, or mount the disk that it is on", code: ENOENT)
    }
    if errno != EEXIST { throw FileError(path: path, doing: "make the folder") }
    if !isFolder(path) {
      throw FileError(path: path, doing: "make the folder", reason: "it is there, and no folder", code: ENOTDIR)
    }
  }

  /// Makes a folder and those above it where they are absent.
  public static func makeFolder(_ path: String, mode: UInt32 = 0o750) throws(FileError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += made.isEmpty || made == "/" ? String(part) : "/\(part)"
      guard mkdir(made, mode) == 0 || errno == EEXIST else { throw FileError(path: made, doing: "make the folder") }
      if !isFolder(made) {
        throw FileError(path: made, doing: "make the folder", reason: "it is there, and no folder", code: ENOTDIR)
      }
    }
  }
}

extension Files {
  /// Removes a folder and all that is in it; links are removed, not followed.
  public static func removeFolder(_ path: String) throws(FileError) {
    for name in try names(in: path) {
      let inner = "\(path)/\(name)"
      var status = stat()
      guard lstat(inner, &status) == 0 else { throw FileError(path: inner, doing: "look at") }
      if status.st_mode & S_IFMT == S_IFDIR {
        try removeFolder(inner)
      } else if unlink(inner) != 0 {
        throw FileError(path: inner, doing: "remove")
      }
    }
    if rmdir(path) != 0 { throw FileError(path: path, doing: "remove") }
  }
}

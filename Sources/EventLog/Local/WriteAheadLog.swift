import Glibc
public import Service

/// The `-wal` file beside a database, looked at past SQLite (https://www.sqlite.org/fileformat2.html#walformat).
public enum WriteAheadLog {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  /// Makes sure that what a fresh connection reads from the file is on disk.
  ///
  /// A process that was killed between writing and syncing leaves a commit that the next one finds by recovery and
  /// takes for done; nothing has synced it. A repeat of its events would be answered as known, and lost with the
  /// power. So it is synced before anybody is told. And where a sync failed, a second one succeeds without having
  /// written anything: Linux counts the pages as clean after the first. So the bytes are written once more, which
  /// makes them dirty again, and only that is synced.
  /// - Parameter isRung: the bell stands at the head. It is rung after the sync alone, so the newest event is on disk
  ///   and all before it: a sync is enough, for an erasure behind it. Writing 20 MB again would make a start slow.
  /// - Throws: nothing can be said about the newest events then, and nothing may be acknowledged.
  static func settle(_ files: LogFiles, isRung: Bool, _ turn: borrowing Gate.Turn) throws(FileError) {
    try settle(beside: files.events, isSynced: isRung)
  }

  /// The same for any database in this mode, while nobody writes it.
  /// - Parameter isSynced: all that stands there was synced once, so it need not be written anew.
  public static func settle(beside database: String, isSynced: Bool = false) throws(FileError) {
    let path = database + "-wal"
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 && errno == ENOENT { return }
    guard descriptor >= 0 else { throw FileError(path: path, doing: "open") }
    defer { close(descriptor) }
    if !isSynced { try rewrite(descriptor, path) }
    guard fdatasync(descriptor) == 0 else { throw FileError(path: path, doing: "sync") }
    try Files.syncFolder(of: path)
  }

  /// Writes the header and all frames of its generation over themselves; what follows is from before the last reset.
  private static func rewrite(_ descriptor: Int32, _ path: String) throws(FileError) {
    var header = [UInt8](repeating: 0, count: headerBytes)
    guard try read(descriptor, &header, at: 0, path) == headerBytes else { return }
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    guard (512...65_536).contains(pageSize) else { return }
    let salts = header[16..<24]
    let frameBytes = frameHeaderBytes + pageSize
    try write(descriptor, header[...], at: 0, path)
    var chunk = [UInt8](repeating: 0, count: 128 * frameBytes)
    var offset = headerBytes
    while true {
      let count = try read(descriptor, &chunk, at: offset, path)
      var frames = 0
      while (frames + 1) * frameBytes <= count {
        let salt = frames * frameBytes + 8
        guard chunk[salt..<salt + 8].elementsEqual(salts) else { break }
        frames += 1
      }
      try write(descriptor, chunk[..<(frames * frameBytes)], at: offset, path)
      guard frames * frameBytes == chunk.count else { return }
      offset += chunk.count
    }
  }

  private static func read(
    _ descriptor: Int32, _ bytes: inout [UInt8], at offset: Int, _ path: String
  ) throws(FileError) -> Int {
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + count, $0.count - count, offset + count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw FileError(path: path, doing: "read") }
      if got == 0 { break }
      count += got
    }
    return count
  }

  private static func write(
    _ descriptor: Int32, _ bytes: ArraySlice<UInt8>, at offset: Int, _ path: String
  ) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let put = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress! + done, $0.count - done, offset + done) }
      if put < 0 && errno == EINTR { continue }
      guard put >= 0 else { throw FileError(path: path, doing: "write") }
      done += put
    }
  }
}

import Glibc
import Service

/// The small file that wakes readers after each commit and remembers how far the log had come, so that a lost
/// tail is noticed: 8 bytes of position, big-endian, then the 32 bytes of the chain there.
struct Bell {
  private static let size = 40
  private let path: String
  private var file: FileHandle

  init(path: String) throws(FileError) {
    self.path = path
    file = try FileHandle(path: path)
  }

  /// Called under the gate, after COMMIT. Written at once and never synced: after a power cut the bell may be
  /// behind the log, never ahead of it.
  mutating func ring(_ reading: LogPlace) throws(FileError) {
    // Readers watch the path: a bell that was removed is hung up again.
    if !isAtPath { file = try FileHandle(path: path) }
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt64(reading.position.value))
    bytes += reading.chain
    let written = pwrite(file.descriptor, bytes, Self.size, 0)
    if written != Self.size { throw FileError(path: path, doing: "write") }
  }

  /// What stands at the path now, rung by whichever process. Cheap enough for each batch.
  func reading() -> LogPlace? { isAtPath ? Self.reading(file.descriptor) : Self.reading(at: path) }

  private var isAtPath: Bool { FileIdentity(descriptor: file.descriptor) == FileIdentity(path: path) }

  /// nil where the bell is absent, of another size or all zero, which all count as absent.
  static func reading(at path: String) -> LogPlace? {
    // Without waiting for who would write into a pipe, which is no bell.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return reading(descriptor)
  }

  private static func reading(_ descriptor: Int32) -> LogPlace? {
    var bytes = [UInt8](repeating: 0, count: size + 1)
    guard pread(descriptor, &bytes, size + 1, 0) == size else { return nil }
    let position = bytes[..<8].reduce(0) { $0 << 8 | Int64($1) }
    guard position > 0 else { return nil }
    return LogPlace(position: Position(position), chain: Array(bytes[8..<size]))
  }
}

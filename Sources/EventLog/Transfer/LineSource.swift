import Glibc
public import Service

/// Lines of a file or a pipe, one after the other, each no longer than a bound.
public final class LineSource {
  private static let chunk = 256 * 1_024

  private let descriptor: Int32
  private let isOwned: Bool
  private let name: String
  private var buffer: [UInt8] = []
  private var offset = 0
  private var isAtEnd = false

  /// Opens a file.
  public init(path: String) throws(FileError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path: path, doing: "open") }
    isOwned = true
    name = path
  }

  /// Reads what is open already and stays so.
  public init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    isOwned = false
  }

  deinit { if isOwned { close(descriptor) } }

  enum Line: Equatable {
    case line([UInt8])
    /// Longer than the bound; nothing comes after it.
    case tooLong
    case end
  }

  /// The next line without its line feed; the last one need not have one.
  func next(bytesMax: Int) throws(FileError) -> Line {
    var searched = offset
    while true {
      if let feed = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[offset..<feed])
        offset = feed + 1
        return line.count > bytesMax ? .tooLong : .line(line)
      }
      searched = buffer.count
      if searched - offset > bytesMax { return .tooLong }
      if isAtEnd {
        defer { offset = buffer.count }
        return offset == buffer.count ? .end : .line(Array(buffer[offset...]))
      }
      searched -= offset
      buffer.removeFirst(offset)
      offset = 0
      try fill()
    }
  }

  private func fill() throws(FileError) {
    let before = buffer.count
    buffer += [UInt8](repeating: 0, count: Self.chunk)
    while true {
      let got = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + before, Self.chunk) }
      if got < 0 && errno == EINTR { continue }
      buffer.removeLast(Self.chunk - max(0, got))
      guard got >= 0 else { throw FileError(path: name, doing: "read") }
      isAtEnd = got == 0
      return
    }
  }
}

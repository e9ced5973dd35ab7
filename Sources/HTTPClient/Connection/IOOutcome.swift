import Glibc

/// What came of one step on a non-blocking connection.
enum IOOutcome: Equatable {
  /// So many bytes; 0 for a handshake that is complete.
  case moved(Int)
  case wantsRead
  case wantsWrite
  /// The peer sends no more.
  case ended
  case failed(String)

  /// The system's words for an errno, with its number.
  static func systemText(_ code: Int32) -> String {
    guard code != 0 else { return "the peer closed the connection" }
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + " (errno \(code))"
  }
}

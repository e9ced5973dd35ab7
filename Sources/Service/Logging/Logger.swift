import Glibc
import JSON

/// Writes one structured line per outcome: a constant message, data in fields with dotted keys. Never a token, a
/// key, or a signed payload.
public struct Logger: Sendable {
  public enum Format: String, Sendable, CaseIterable {
    /// For people: `time level message key=value`.
    case text
    /// For collectors: one JSON object.
    case json
  }

  /// A text field longer than this is cut, so that no caller can fill the log, and so that a line fits into what a
  /// pipe takes whole (4,096 bytes): lines of several threads never mix.
  public static let textBytesMax = 1024

  public typealias Fields = KeyValuePairs<String, LogField>

  private let format: Format
  private let level: LogLevel
  private let clock: WallClock
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - level: lines below it are not written.
  ///   - write: takes a whole line, line feed included.
  public init(
    format: Format, level: LogLevel = .info, clock: WallClock, write: @escaping @Sendable (String) -> Void
  ) {
    self.format = format
    self.level = level
    self.clock = clock
    self.write = write
  }

  /// Writes to standard error, each line with one call, so that lines of several threads never mix.
  public static func standardError(format: Format?, level: LogLevel = .info, clock: WallClock) -> Logger {
    Logger(format: format ?? (isatty(2) == 1 ? .text : .json), level: level, clock: clock) { line in
      var bytes = Array(line.utf8)[...]
      while !bytes.isEmpty {
        // A line that nobody takes is dropped: a stalled collector must not stop the service.
        var ready = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 0) == 1 else { return }
        let written = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        if written < 0 && errno != EINTR { return }
        bytes = bytes.dropFirst(max(0, written))
      }
    }
  }

  public func debug(_ message: StaticString, _ fields: Fields = [:]) { log(.debug, message, fields) }
  public func info(_ message: StaticString, _ fields: Fields = [:]) { log(.info, message, fields) }
  public func warning(_ message: StaticString, _ fields: Fields = [:]) { log(.warning, message, fields) }
  public func error(_ message: StaticString, _ fields: Fields = [:]) { log(.error, message, fields) }

  private func log(_ level: LogLevel, _ message: StaticString, _ fields: Fields) {
    guard level >= self.level else { return }
    write(format == .json ? json(level, message, fields) : text(level, message, fields))
  }

  private func json(_ level: LogLevel, _ message: StaticString, _ fields: Fields) -> String {
    var writer = JSONWriter()
    writer.raw("{\"time\":\"\(RFC3339.text(clock.now()))\",\"level\":\"\(level.rawValue)\",\"message\":")
    writer.string(message.description)
    for (key, value) in fields {
      writer.raw(",")
      writer.string(key)
      writer.raw(":")
      Self.put(value, to: &writer)
    }
    writer.raw("}\n")
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func text(_ level: LogLevel, _ message: StaticString, _ fields: Fields) -> String {
    var line = "\(RFC3339.text(clock.now())) \(level.rawValue) \(message)"
    for (key, value) in fields {
      var writer = JSONWriter()
      Self.put(value, to: &writer)
      line += " \(key)=" + String(decoding: writer.bytes, as: UTF8.self)
    }
    return line + "\n"
  }

  /// A JSON string in which also those characters are escaped that JSON lets stand, and with which a stranger could end a
  /// line, steer a terminal, or show text in another order; cut where it is longer than `textBytesMax`.
  private static func quoted(_ text: String) -> String {
    var text = text
    let count = text.utf8.count
    if count > textBytesMax {
      text = String(decoding: text.utf8.prefix(textBytesMax), as: UTF8.self) + "… (\(count) bytes)"
    }
    var writer = JSONWriter()
    writer.string(text)
    let json = String(decoding: writer.bytes, as: UTF8.self)
    guard json.unicodeScalars.contains(where: isUnsafe) else { return json }
    var escaped = ""
    for scalar in json.unicodeScalars {
      guard isUnsafe(scalar) else {
        escaped.unicodeScalars.append(scalar)
        continue
      }
      // All of them have one UTF-16 unit.
      let digits = String(scalar.value, radix: 16)
      escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return escaped
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // DEL and C1, line and paragraph separators, marks and overrides of writing direction.
    case 0x7F...0x9F, 0x2028...0x202E, 0x200E...0x200F, 0x2066...0x2069, 0x061C: true
    default: false
    }
  }

  private static func put(_ value: LogField, to writer: inout JSONWriter) {
    switch value {
    case .text(let text): writer.raw(quoted(text))
    case .integer(let value): writer.raw(String(value))
    case .bool(let value): writer.raw(String(value))
    }
  }
}

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

  private static func put(_ value: LogField, to writer: inout JSONWriter) {
    switch value {
    case .text(let text): writer.string(text)
    case .integer(let value): writer.raw(String(value))
    case .bool(let value): writer.raw(String(value))
    }
  }
}

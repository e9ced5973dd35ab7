import JSON
import Service
import Testing

@Suite("A log line") struct LoggerTests {
  private static func lines(
    _ format: Logger.Format, level: LogLevel = .debug, _ body: (Logger) -> Void
  ) -> [String] {
    let lines = Monitor([String]())
    body(
      Logger(format: format, level: level, clock: .fixed(1_796_029_200_123)) { line in
        lines.withLock { $0.append(line) }
      })
    return lines.withLock { $0 }
  }

  @Test("for people has time, level, message and fields")
  func text() {
    let lines = Self.lines(.text) {
      $0.warning("answer not taken", ["claim.id": "claim/1", "status": 503, "late": true, "n": .integer(-1)])
      $0.info("started")
    }
    #expect(
      lines == [
        "2026-11-30T09:00:00.123Z warning answer not taken claim.id=\"claim/1\" status=503 late=true n=-1\n",
        "2026-11-30T09:00:00.123Z info started\n",
      ])
  }

  @Test("for collectors is one JSON object")
  func json() throws {
    let lines = Self.lines(.json) {
      $0.error("lost", ["path": .text("a\"b\\c"), "position": .integer(.max), "known": false])
    }
    #expect(lines.count == 1)
    #expect(lines[0].last == "\n")
    let root = try JSONDocument(bytes: Array(lines[0].utf8)).root
    #expect(root["time"]?.string == "2026-11-30T09:00:00.123Z")
    #expect(root["level"]?.string == "error")
    #expect(root["message"]?.string == "lost")
    #expect(root["path"]?.string == "a\"b\\c")
    #expect(root["position"]?.int64 == .max)
    #expect(root["known"]?.bool == false)
  }

  @Test(
    "stays one line, whatever stands in a field",
    arguments: [
      "two\nlines", "return\rhere", "\u{1B}[31mred", "quote \" and \\", "tab\tnull\u{0}", "é 日本語", "",
      "x\n2026-11-30T09:00:00.000Z info forged",
    ], Logger.Format.allCases)
  func oneLine(value: String, format: Logger.Format) throws {
    let lines = Self.lines(format) { $0.info("said", ["value": .text(value)]) }
    #expect(lines.count == 1)
    #expect(lines[0].utf8.filter { $0 < 0x20 } == [UInt8(ascii: "\n")])
    if format == .json {
      #expect(try JSONDocument(bytes: Array(lines[0].utf8)).root["value"]?.string == value)
    }
  }

  @Test(
    "shows characters that steer a terminal or a reader as their numbers",
    arguments: [
      ("\u{9B}31m", #""\u009b31m""#), ("a\u{7F}", #""a\u007f""#), ("a\u{2028}b", #""a\u2028b""#),
      ("\u{202E}fdp", #""\u202efdp""#), ("\u{85}", #""\u0085""#), ("\u{200F}\u{2066}", #""\u200f\u2066""#),
    ], Logger.Format.allCases)
  func steering(pair: (value: String, written: String), format: Logger.Format) throws {
    let line = Self.lines(format) { $0.info("said", ["value": .text(pair.value)]) }[0]
    #expect(line.contains(pair.written))
    if format == .json { #expect(try JSONDocument(bytes: Array(line.utf8)).root["value"]?.string == pair.value) }
  }

  @Test("is cut where a text is long", arguments: [(1024, false), (1025, true), (1_000_000, true)])
  func long(count: Int, isCut: Bool) throws {
    let text = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
    let line = Self.lines(.json) { $0.info("said", ["value": .text(text)]) }[0]
    let value = try #require(try JSONDocument(bytes: Array(line.utf8)).root["value"]?.string)
    #expect(value.hasSuffix("… (\(count) bytes)") == isCut)
    #expect(value.utf8.count < 1068)
  }

  @Test("is not written below the level", arguments: LogLevel.allCases)
  func levels(level: LogLevel) {
    let lines = Self.lines(.text, level: level) {
      $0.debug("a")
      $0.info("a")
      $0.warning("a")
      $0.error("a")
    }
    #expect(lines.count == LogLevel.allCases.filter { $0 >= level }.count)
    #expect(lines.allSatisfy { line in LogLevel.allCases.contains { $0 >= level && line.contains(" \($0) ") } })
  }
}

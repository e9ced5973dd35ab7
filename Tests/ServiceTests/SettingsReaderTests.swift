import Glibc
import Service
import TestSupport
import Testing

@Suite("Settings") struct SettingsReaderTests {
  @Test("have their defaults where nothing is said")
  func defaults() throws {
    let settings = try SettingsFixture.load(#"{"name":"x"}"#)
    #expect(settings.count == 3)
    #expect(settings.isOpen)
    #expect(settings.colour == .green)
    #expect(settings.speed == 1)
    #expect(settings.port == 8080)
    #expect(settings.note == nil)
    #expect(settings.limit == nil)
    #expect(settings.since == nil)
    #expect(settings.extra == nil)
    #expect(settings.items == [])
    #expect(settings.words == [])
  }

  @Test("are read from the file")
  func file() throws {
    let settings = try SettingsFixture.load(
      """
      { "name": "x", "note": "n", "count": 10, "limit": 0, "isOpen": false, "colour": "red", "speed": 0.5,
        "since": "2026-11-30T09:00:00Z", "words": ["a", "b"], "server": { "port": 0 }, "extra": {},
        "items": [{ "name": "one" }, { "name": "two", "count": 2 }], "other": { "anything": 1 } }
      """)
    #expect(settings.note == "n")
    #expect(settings.count == 10)
    #expect(settings.limit == 0)
    #expect(!settings.isOpen)
    #expect(settings.colour == .red)
    #expect(settings.speed == 0.5)
    #expect(settings.since == 1_796_029_200_000)
    #expect(settings.words == ["a", "b"])
    #expect(settings.port == 0)
    #expect(settings.extra == 5)
    #expect(settings.items == [.init(name: "one", count: 1), .init(name: "two", count: 2)])
  }

  @Test("are read from variables, which go over the file")
  func variables() throws {
    let settings = try SettingsFixture.load(
      #"{"name":"file","count":1,"isOpen":true,"colour":"red","server":{"port":1},"words":["file"],"items":[]}"#,
      [
        "REFUNDLOG_NAME": "variable", "REFUNDLOG_COUNT": "2", "REFUNDLOG_IS_OPEN": "false",
        "REFUNDLOG_COLOUR": "green", "REFUNDLOG_SERVER_PORT": "2", "REFUNDLOG_WORDS": #"["a","b"]"#,
        "REFUNDLOG_SPEED": "2.5", "REFUNDLOG_SINCE": "1796029200000", "REFUNDLOG_LIMIT": "100",
        "REFUNDLOG_ITEMS": #"[{"name":"one","count":7}]"#,
      ])
    #expect(settings.name == "variable")
    #expect(settings.count == 2)
    #expect(!settings.isOpen)
    #expect(settings.colour == .green)
    #expect(settings.port == 2)
    #expect(settings.words == ["a", "b"])
    #expect(settings.speed == 2.5)
    #expect(settings.since == 1_796_029_200_000)
    #expect(settings.limit == 100)
    #expect(settings.items == [.init(name: "one", count: 7)])
  }

  @Test("need no file")
  func noFile() throws {
    #expect(try SettingsFixture.load(nil, ["REFUNDLOG_NAME": "x"]).name == "x")
  }

  @Test("take an object from a variable, and a variable of its key goes over that")
  func objectVariable() throws {
    let whole = ["REFUNDLOG_NAME": "x", "REFUNDLOG_SERVER": #"{"port":5}"#]
    #expect(try SettingsFixture.load(nil, whole).port == 5)
    #expect(try SettingsFixture.load(nil, whole.merging(["REFUNDLOG_SERVER_PORT": "6"]) { $1 }).port == 6)
  }

  // A variable for a key of an object that the file leaves out was once passed over in silence.
  @Test("have an optional object as soon as a variable speaks of it")
  func optionalObject() throws {
    #expect(try SettingsFixture.load(#"{"name":"x"}"#, ["REFUNDLOG_EXTRA_DEPTH": "7"]).extra == 7)
    #expect(try SettingsFixture.load(nil, ["REFUNDLOG_NAME": "x", "REFUNDLOG_EXTRA": "{}"]).extra == 5)
  }

  @Test("take the secret of a file without its last line feed")
  func secret() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/secret"
    try Files.write(Array("top\n".utf8), to: path)
    #expect(try SettingsFixture.load("{\"name\":\"x\",\"secretFile\":\"\(path)\"}").secret == Array("top".utf8))
  }

  @Test("warn where every user may read a secret", arguments: [(0o600, false), (0o640, false), (0o644, true)])
  func readable(mode: UInt32, isWarned: Bool) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/secret"
    try Files.write(Array("top\n".utf8), to: path)
    #expect(chmod(path, mode) == 0)
    var warnings: [String] = []
    let variables = ["REFUNDLOG_NAME": "x", "REFUNDLOG_SECRET_FILE": path]
    let settings = try SettingsReader.load(
      file: nil, environment: variables, warn: { warnings.append($0) }, SettingsFixture.init)
    #expect(settings.secret == Array("top".utf8))
    let sentence =
      "REFUNDLOG_SECRET_FILE: the file that secretFile names can be read by every user of this machine: chmod o-r"
    #expect(warnings == (isWarned ? [sentence] : []))
  }

  @Test("list their keys in the order of reading, with kind, default and variable")
  func keys() {
    let keys = SettingsReader.keys(SettingsFixture.init)
    #expect(
      keys.map(\.path) == [
        "name", "note", "count", "limit", "isOpen", "colour", "speed", "since", "words", "server.port", "extra.depth",
        "items", "items[].name", "items[].count", "secretFile",
      ])
    #expect(keys[0].standard == nil)
    #expect(keys[2].kind == "integer from 1 to 10")
    #expect(keys[2].standard == "3")
    #expect(keys[2].meaning == "how many")
    #expect(SettingKey.variable(for: "server.port") == "REFUNDLOG_SERVER_PORT")
    #expect(SettingKey.variable(for: "isOpen") == "REFUNDLOG_IS_OPEN")
    #expect(SettingKey.variable(for: "simulator.notificationURL") == "REFUNDLOG_SIMULATOR_NOTIFICATION_URL")
    #expect(SettingKey.variable(for: "responder.tokenFile") == "REFUNDLOG_RESPONDER_TOKEN_FILE")
  }
}

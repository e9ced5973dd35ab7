import Service
import TestSupport

/// Settings of a made-up service with one key of each kind.
struct SettingsFixture: Equatable {
  enum Colour: String, CaseIterable { case red, green }
  struct Item: Equatable {
    var name: String
    var count: Int64
  }

  var name = ""
  var note: String?
  var count: Int64 = 0
  var limit: Int64?
  var isOpen = false
  var colour = Colour.red
  var speed = 0.0
  var since: Int64?
  var words: [String] = []
  var port: Int64 = 0
  var extra: Int64?
  var items: [Item] = []
  var secret: [UInt8] = []

  init(_ reader: SettingsReader) {
    name = reader.text("name", nil, "what it is called")
    note = reader.optionalText("note", "a remark")
    count = reader.integer("count", in: 1...10, 3, "how many")
    limit = reader.optionalInteger("limit", in: 0...100, "at most")
    isOpen = reader.flag("isOpen", true, "whether it is open")
    colour = reader.word("colour", .green, "which colour")
    speed = reader.number("speed", 1, above: 0, atMost: 8, "how fast")
    since = reader.optionalInstant("since", "since when")
    words = reader.texts("words", "some words")
    reader.object("server") { port = $0.integer("port", in: 0...65_535, 8080, "port") }
    extra = reader.optionalObject("extra") { $0.integer("depth", in: 1...9, 5, "how deep") }
    items = reader.list("items", "some items") {
      Item(name: $0.text("name", nil, "its name"), count: $0.integer("count", in: 0...9, 1, "its count"))
    }
    if let path = reader.optionalText("secretFile", "a file") { secret = reader.secret(of: "secretFile", at: path) }
    reader.leave("other")
  }

  /// Loads a file of that text, or none.
  static func load(_ text: String?, _ variables: [String: String] = [:]) throws -> SettingsFixture {
    guard let text else { return try SettingsReader.load(file: nil, environment: variables, SettingsFixture.init) }
    let folder = TemporaryFolder()
    let path = folder.path + "/s.json"
    try Files.write(Array(text.utf8), to: path)
    return try SettingsReader.load(file: path, environment: variables, SettingsFixture.init)
  }

  /// The faults of a file of that text, without the path of the file.
  static func faults(_ text: String?, _ variables: [String: String] = [:]) -> [String] {
    do {
      _ = try load(text, variables)
      return []
    } catch let error as SettingsError {
      return error.faults.map { fault in
        fault.hasPrefix("/tmp/") ? "s.json" + fault[fault.ranges(of: "s.json")[0].upperBound...] : fault
      }
    } catch { return ["\(error)"] }
  }
}

import Contracts
import Cryptography
import EventLog
import Glibc
import JSON
import SQLite
import Service
import TestSupport
import Testing

@testable import Operations
@testable import Responder

/// A log that a release wrote, with what it told of it: one folder of Tests/Golden, made once and never edited.
struct GoldenLog: Sendable, CustomTestStringConvertible {
  /// The release that wrote it; the folder's name.
  let release: String

  var testDescription: String { release }
  private var folder: String { "\(Project.golden)/\(release)" }

  static let all: [GoldenLog] = {
    guard let open = opendir(Project.golden) else { return [] }
    defer { closedir(open) }
    var names: [String] = []
    while let entry = readdir(open) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), name != "README.md" { names.append(name) }
    }
    return names.sorted().map(GoldenLog.init)
  }()

  /// What the release told of the whole log.
  struct Told: Sendable {
    /// When it was told: what waits, and for how long, depends on it.
    var instant: Int64
    var position: Int64
    /// In hex.
    var chain: String
    /// Case pages, as the API gives them.
    var cases: [JSONValue]
  }

  func told() throws -> Told {
    let head = try JSONValue(bytes: #require(Project.bytes("\(folder)/head.json")))
    let lines = try #require(Project.bytes("\(folder)/cases.jsonl")).split(separator: UInt8(ascii: "\n"))
    return Told(
      instant: try #require(head["at"]?.int64), position: try #require(head["position"]?.int64),
      chain: try #require(head["chain"]?.string), cases: try lines.map { try JSONValue(bytes: Array($0)) })
  }

  /// Makes a log's folder of it, as the release left it.
  func restore(to data: String) throws {
    try Files.makeFolder(data, mode: 0o700)
    let sql = String(decoding: try #require(Project.bytes("\(folder)/events.sql")), as: UTF8.self)
    try SQLiteConnection(path: "\(data)/events.sqlite", mode: .create).execute(sql)
  }

  // MARK: Making one

  /// What an empty file must be before the dump is read: none of it stands in a dump.
  private static let header = """
    PRAGMA page_size=8192;
    PRAGMA journal_mode=WAL;
    PRAGMA application_id=0x52464C47;
    PRAGMA user_version=1;

    """

  /// Writes a folder of a log that nobody has open.
  static func write(_ data: String, at instant: Int64, to folder: String) throws {
    try Files.makeFolder(folder, mode: 0o755)
    let (code, dump) = try run("sqlite3", ["-readonly", "\(data)/events.sqlite", ".dump"])
    guard code == 0 else { throw CommandError(.failure, "sqlite3 ended with \(code): \(dump.prefix(200))") }
    try Files.write(Array((header + dump).utf8), to: "\(folder)/events.sql", mode: 0o644)
    let head = try LocalEventLog.reading(data).head()
    let told: JSONValue = [
      "at": .number(JSONNumber(instant)), "chain": .string(Hex.encode(head.chain)),
      "position": .number(JSONNumber(head.position.value)), "release": .string(Release.version),
    ]
    try Files.write(told.bytes(sortedKeys: true) + [UInt8(ascii: "\n")], to: "\(folder)/head.json", mode: 0o644)
    let lines = try cases(in: data, at: instant).map { $0.bytes(sortedKeys: true) + [UInt8(ascii: "\n")] }
    try Files.write(Array(lines.joined()), to: "\(folder)/cases.jsonl", mode: 0o644)
  }

  // MARK: Telling one

  /// Reads the whole log into a projection of its own, acting on nothing, and tells every case.
  static func cases(in data: String, at instant: Int64) throws -> [JSONValue] {
    let log = try LocalEventLog.reading(data)
    Projected.remove(from: data)
    let projector = try Projector(log: log, store: CaseStore(folder: data))
    while try projector.advance() != nil {}
    let reader = CaseReader(folder: data, log: log, clock: .fixed(instant))
    let list = try reader.cases(matching: CaseQuery(limit: 200))
    try #require(list.next == nil, "a golden log is small")
    return try list.cases.map(\.purchase).sorted { $0.description < $1.description }.map {
      try #require(try reader.page(of: $0)).json
    }
  }

  // MARK: Comparing

  /// Words for people: a later release may say the same otherwise.
  private static let words: Set<String> = ["gist", "words", "error", "explanation", "waitsFor", "answerable"]

  /// Where what was told is told no more, or otherwise; more may be told.
  static func differences(_ told: JSONValue, _ now: JSONValue?, at path: String = "") -> [String] {
    guard let now else { return ["\(path) is told no more"] }
    if let members = told.object {
      return members.members.flatMap { member in
        words.contains(member.key) ? [] : differences(member.value, now[member.key], at: "\(path).\(member.key)")
      }
    }
    if let elements = told.array {
      guard let others = now.array, others.count == elements.count else {
        return ["\(path) has \(now.array?.count ?? 0) elements, not \(elements.count)"]
      }
      return zip(elements, others).enumerated().flatMap { number, pair in
        differences(pair.0, pair.1, at: "\(path)[\(number)]")
      }
    }
    return told == now ? [] : ["\(path) is \(now.text()), not \(told.text())"]
  }
}

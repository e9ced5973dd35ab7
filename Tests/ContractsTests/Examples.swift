import Contracts
import Glibc
import JSON
import TestSupport
import Testing

/// One file of `contracts/examples`.
struct Example: Sendable, CustomTestStringConvertible {
  var type: EventType
  var file: String
  var bytes: [UInt8]

  var testDescription: String { "\(type.rawValue)/\(file)" }

  func object() throws -> JSONObject { try #require(JSONValue(bytes: bytes).object) }

  /// The data as the Swift value of its type.
  func read() throws -> any EventData { try type.dataType.init(data: bytes) }
}

/// The folders `contracts/schemas` and `contracts/examples`.
enum Examples {
  /// Of the version that this release writes.
  static let valid = EventType.allCases.flatMap { all(of: $0, schema: $0.schema) }
  static let invalid = EventType.allCases.flatMap { all($0, "invalid/\($0.rawValue)") }

  static func all(of type: EventType, schema: Int64) -> [Example] { all(type, "\(type.rawValue)/v\(schema)") }

  /// Of the version that this release writes.
  static func schema(_ name: String) throws -> JSONObject {
    let version = EventType(rawValue: name)?.schema ?? 1
    let bytes = try #require(Project.bytes("\(Project.root)/contracts/schemas/\(name).v\(version).json"))
    return try #require(JSONValue(bytes: bytes).object)
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    try #require(Project.bytes("\(Project.root)/contracts/examples/\(path)"))
  }

  /// Names in a folder of `contracts`, sorted; empty where there is no such folder.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir("\(Project.root)/contracts/\(folder)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func all(_ type: EventType, _ folder: String) -> [Example] {
    names(in: "examples/\(folder)").map { name in
      Example(type: type, file: name, bytes: (try? bytes("\(folder)/\(name)")) ?? [])
    }
  }
}

/// What a closure throws, where it throws a contract error.
func contractError(_ body: () throws -> Void) -> ContractError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ContractError
  }
}

/// What a closure throws, where it throws a problem.
func problem(_ body: () throws -> Void) -> Problem? {
  do {
    try body()
    return nil
  } catch {
    return error as? Problem
  }
}

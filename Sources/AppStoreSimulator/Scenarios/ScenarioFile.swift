import JSON
import Service

/// A story that a user wrote: steps, one after the other. Judged as a whole when it is read, so that nothing is found wrong
/// in the middle of it that could have been seen before.
public struct ScenarioFile: Equatable, Sendable {
  static let stepsMax = 1000
  private static let bytesMax = 1 << 20
  private static let members = ["name", "comment", "steps"]

  /// For people; the file's own where it says none.
  public let name: String
  let steps: [ScenarioStep]

  /// - Parameter settings: whose app the steps are about where they name none.
  public init(path: String, settings: SimulatorSettings) throws(ScenarioFileError) {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try Files.read(path, bytesMax: Self.bytesMax) } catch {
      throw ScenarioFileError(faults: [error.description])
    }
    try self.init(bytes, name: path, app: StoreApp(settings))
  }

  /// - Parameter name: what faults are told of.
  init(_ bytes: [UInt8], name: String, app: StoreApp) throws(ScenarioFileError) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes: bytes, limits: JSONLimits(bytesMax: Self.bytesMax))
    } catch {
      throw ScenarioFileError(faults: ["\(name), \(error)"])
    }
    var faults = Faults(name: name)
    let root = document.root
    guard root.kind == .object, let list = root["steps"]?.elements else {
      faults.add(root, #"a scenario file is one object with the list "steps": {"name": "…", "steps": [{"do": …}, …]}"#)
      throw ScenarioFileError(faults: faults.sentences)
    }
    for (key, value) in root.members ?? [] where !Self.members.contains(key) {
      faults.add(value, "\(key.prefix(60)) is not known here; known are \(Self.members.joined(separator: ", "))")
    }
    if let given = root["name"], given.string == nil { faults.add(given, "name is not a text") }
    if list.isEmpty || list.count > Self.stepsMax {
      faults.add(root["steps"]!, "steps holds \(list.count) steps; allowed are 1 to \(Self.stepsMax)")
    }
    var steps: [ScenarioStep] = []
    for element in list.prefix(Self.stepsMax) {
      guard let object = JSONValue(element).object else {
        faults.add(element, "a step is an object, such as {\"do\": \"refundRequest\"}")
        continue
      }
      do throws(ControlError) {
        steps.append(try ScenarioStep(object, line: element.position.line, app: app))
      } catch {
        faults.add(Self.member(of: element, namedIn: error.description) ?? element, error.description)
      }
    }
    guard faults.sentences.isEmpty else { throw ScenarioFileError(faults: faults.sentences) }
    self.name = root["name"]?.string ?? name
    self.steps = steps
  }

  /// A sentence about a member begins with its name, wherever in the step that stands.
  private static func member(of step: JSONView, namedIn sentence: String) -> JSONView? {
    let words = sentence.split(separator: " ", maxSplits: 3)
    let named = words.prefix(2) == ["the", "member"] ? words.dropFirst(2).first : words.first
    return named.flatMap { find(String($0), in: step, depth: 0) }
  }

  private static func find(_ name: String, in view: JSONView, depth: Int) -> JSONView? {
    if let found = view[name] { return found }
    guard depth < 12 else { return nil }
    for (_, value) in view.members ?? [] where value.kind == .object {
      if let found = find(name, in: value, depth: depth + 1) { return found }
    }
    return nil
  }

  private struct Faults {
    /// One who sees these knows enough.
    static let max = 20
    let name: String
    var sentences: [String] = []

    mutating func add(_ view: JSONView, _ sentence: String) {
      guard sentences.count < Self.max else { return }
      let (line, column) = view.position
      sentences.append("\(name), line \(line), column \(column): \(sentence)")
    }
  }
}

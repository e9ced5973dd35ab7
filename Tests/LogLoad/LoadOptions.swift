import Service

/// What the words after a role say.
struct LoadOptions: Sendable {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  var label: String { arguments["label"] ?? "load" }

  func folder() throws(LoadError) -> String {
    guard let folder = arguments["folder"] else { throw LoadError("--folder is missing") }
    return folder
  }

  func integer(_ flag: String, or absent: Int) throws(LoadError) -> Int {
    guard let text = arguments[flag] else { return absent }
    guard let value = Int(text), value >= 0 else { throw LoadError("--\(flag) takes a number, not \(text)") }
    return value
  }

  func seconds(_ flag: String, or absent: Double) throws(LoadError) -> Double {
    guard let text = arguments[flag] else { return absent }
    guard let value = Double(text), value > 0 else { throw LoadError("--\(flag) takes seconds, not \(text)") }
    return value
  }

  /// The log that the roles share.
  func sharedLog() throws -> any SharedLog {
    let folder = try folder()
    switch arguments["log"] ?? "ours" {
    case "ours": return try OurLog(folder: folder)
    case "naive": return try NaiveLog(folder: folder)
    case let other: throw LoadError("--log is ours or naive, not \(other)")
    }
  }
}

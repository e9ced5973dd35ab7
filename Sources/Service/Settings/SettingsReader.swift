import JSON

/// Reads settings from a JSON file, over which environment variables go, and collects every fault.
///
/// A service reads each key once, with kind, default and meaning; from the same calls come the check for unknown
/// keys and the list of keys. Reading goes on after a fault, with the default.
public final class SettingsReader {
  private let shared: Shared
  private let view: JSONView?
  private let path: String
  private let origin: String
  /// A member of a list has no variable of its own.
  private let hasVariables: Bool
  private var known: Set<String> = []

  private final class Shared {
    let environment: [String: String]
    var faults: [String] = []
    var warnings: [String] = []
    var keys: [SettingKey] = []
    var readers: [SettingsReader] = []
    /// Files that were read besides the settings file itself, as they were just before.
    var files: [String: FilePrint?] = [:]
    /// Top-level keys that other programs read.
    var left: [String] = []
    init(environment: [String: String]) { self.environment = environment }
  }

  private init(_ shared: Shared, view: JSONView?, path: String, origin: String, hasVariables: Bool) {
    self.shared = shared
    self.view = view
    self.path = path
    self.origin = origin
    self.hasVariables = hasVariables
    shared.readers.append(self)
  }

  /// Reads a file, or defaults and variables alone where none is named.
  /// - Parameter warn: takes a sentence about each thing that works and that someone should look at.
  /// - Throws: all faults at once.
  public static func load<Settings>(
    file: String?, environment: [String: String], warn: (String) -> Void = { _ in },
    _ read: (SettingsReader) -> Settings
  ) throws(SettingsError) -> Settings {
    try load(file: file, environment: environment, warn: warn, noting: { _ in }, read)
  }

  /// - Parameter noting: takes the files that these settings rest on, each as it was just before it was read, also where
  ///   they are at fault; a change in one of them is a reason to read again.
  static func load<Settings>(
    file: String?, environment: [String: String], warn: (String) -> Void,
    noting: ([String: FilePrint?]) -> Void, _ read: (SettingsReader) -> Settings
  ) throws(SettingsError) -> Settings {
    let own = file.map { [$0: FilePrint($0)] } ?? [:]
    noting(own)
    var view: JSONView?
    if let file {
      do {
        view = try JSONDocument(bytes: try Files.read(file, bytesMax: 4 << 20)).root
      } catch let error as FileError {
        throw SettingsError(faults: [error.description])
      } catch {
        throw SettingsError(faults: ["\(file), \(error)"])
      }
      guard view?.kind == .object else { throw SettingsError(faults: ["\(file): settings are one JSON object"]) }
    }
    let shared = Shared(environment: environment)
    let reader = SettingsReader(shared, view: view, path: "", origin: file ?? "settings", hasVariables: true)
    let settings = read(reader)
    noting(own.merging(shared.files) { first, _ in first })
    for reader in shared.readers { reader.refuseUnknown() }
    reader.warnOfUnknownVariables()
    shared.warnings.forEach(warn)
    if !shared.faults.isEmpty { throw SettingsError(faults: shared.faults) }
    return settings
  }

  /// The keys that `read` knows, in the order in which it reads them.
  public static func keys<Settings>(_ read: (SettingsReader) -> Settings) -> [SettingKey] {
    let shared = Shared(environment: [:])
    _ = read(SettingsReader(shared, view: nil, path: "", origin: "", hasVariables: true))
    return shared.keys
  }

  // MARK: Values

  /// - Parameter standard: nil where the key must be given; the empty text is returned then.
  public func text(_ key: String, _ standard: String?, _ meaning: String) -> String {
    value(
      key, "text", standard, standard, meaning, text: { $0.isEmpty ? nil : $0 },
      json: { $0.string.flatMap { $0.isEmpty ? nil : $0 } }) ?? ""
  }

  public func optionalText(_ key: String, _ meaning: String) -> String? {
    value(
      key, "text", nil, "none", meaning, text: { $0.isEmpty ? nil : $0 },
      json: { $0.string.flatMap { $0.isEmpty ? nil : $0 } })
  }

  public func integer(
    _ key: String, in range: ClosedRange<Int64>, _ standard: Int64?, _ meaning: String
  ) -> Int64 {
    let kind = "integer from \(range.lowerBound) to \(range.upperBound)"
    return value(
      key, kind, standard, standard.map(String.init), meaning,
      text: { Int64($0).flatMap { range.contains($0) ? $0 : nil } },
      json: { $0.int64.flatMap { range.contains($0) ? $0 : nil } }) ?? range.lowerBound
  }

  public func optionalInteger(_ key: String, in range: ClosedRange<Int64>, _ meaning: String) -> Int64? {
    let kind = "integer from \(range.lowerBound) to \(range.upperBound)"
    return value(
      key, kind, nil, "none", meaning, text: { Int64($0).flatMap { range.contains($0) ? $0 : nil } },
      json: { $0.int64.flatMap { range.contains($0) ? $0 : nil } })
  }

  public func flag(_ key: String, _ standard: Bool?, _ meaning: String) -> Bool {
    value(
      key, "true or false", standard, standard.map { "\($0)" }, meaning, text: Bool.init, json: \.bool) ?? false
  }

  /// One of a few words.
  public func word<Word: RawRepresentable & CaseIterable>(
    _ key: String, _ standard: Word, _ meaning: String
  ) -> Word where Word.RawValue == String {
    optionalWord(key, standard: standard, meaning) ?? standard
  }

  public func optionalWord<Word: RawRepresentable & CaseIterable>(
    _ key: String, standard: Word? = nil, _ meaning: String
  ) -> Word? where Word.RawValue == String {
    let kind = "one of " + Word.allCases.map(\.rawValue).joined(separator: ", ")
    return value(
      key, kind, standard, standard?.rawValue ?? "none", meaning, text: Word.init(rawValue:),
      json: { $0.string.flatMap(Word.init(rawValue:)) })
  }

  /// An instant of the years 0 to 9999: milliseconds since 1970 or RFC 3339 in UTC.
  public func optionalInstant(_ key: String, _ meaning: String) -> Int64? {
    let fits = { (instant: Int64) in RFC3339.range.contains(instant) ? instant : nil }
    return value(
      key, "milliseconds since 1970, or text as 2026-11-30T09:00:00Z", nil, "none", meaning,
      text: { (Int64($0) ?? RFC3339.milliseconds($0)).flatMap(fits) },
      json: { ($0.int64 ?? $0.string.flatMap(RFC3339.milliseconds)).flatMap(fits) })
  }

  /// A number above 0, with decimals.
  public func number(_ key: String, _ standard: Double, above bound: Double, atMost max: Double, _ meaning: String)
    -> Double
  {
    let fits = { (number: Double) in number > bound && number <= max ? number : nil }
    return value(
      key, "number above \(bound), at most \(max)", standard, "\(standard)", meaning,
      text: { Double($0).flatMap(fits) },
      json: { $0.number?.double.flatMap(fits) }) ?? standard
  }

  public func texts(_ key: String, _ meaning: String) -> [String] {
    value(
      key, "list of texts", [], "[]", meaning,
      text: { try? JSONDocument(bytes: Array($0.utf8)).root.elements?.map(\.string).whole },
      json: { $0.elements?.map(\.string).whole }) ?? []
  }

  // MARK: What stands inside

  /// An object's own reader; where the object is absent its keys have their defaults.
  public func object<Value>(_ key: String, _ read: (SettingsReader) -> Value) -> Value {
    object(key, inside(key), read)
  }

  /// An object that may be absent altogether; a variable for one of its keys makes it present.
  public func optionalObject<Value>(_ key: String, _ read: (SettingsReader) -> Value) -> Value? {
    let keys = Self.keys(read)
    let inner = inside(key)
    if inner != nil || keys.contains(where: { variable("\(key).\($0.path)") != nil }) {
      return object(key, inner, read)
    }
    known.insert(key)
    // Its keys still belong into the list of keys.
    shared.keys += keys.map { $0.inside(join(key)) }
    return nil
  }

  private func object<Value>(_ key: String, _ inner: Inside?, _ read: (SettingsReader) -> Value) -> Value {
    known.insert(key)
    if let inner, inner.view.kind != .object { fault(key, inner.view, "an object", in: inner.origin) }
    return read(
      SettingsReader(
        shared, view: inner?.view.kind == .object ? inner?.view : nil, path: join(key), origin: inner?.origin ?? origin,
        hasVariables: hasVariables))
  }

  /// A list of objects. A variable for it holds the whole list as JSON.
  public func list<Value>(_ key: String, _ meaning: String, _ read: (SettingsReader) -> Value) -> [Value] {
    known.insert(key)
    shared.keys.append(SettingKey(path: join(key), kind: "list of objects", standard: "[]", meaning: meaning))
    shared.keys += Self.keys(read).map { $0.inside("\(join(key))[]") }
    guard let list = inside(key) else { return [] }
    guard let elements = list.view.elements else {
      fault(key, list.view, "a list of objects", in: list.origin)
      return []
    }
    return elements.enumerated().map { index, element in
      if element.kind != .object { fault("\(key)[\(index)]", element, "an object", in: list.origin) }
      let recorded = shared.keys
      defer { shared.keys = recorded }
      return read(
        SettingsReader(
          shared, view: element.kind == .object ? element : nil, path: "\(join(key))[\(index)]",
          origin: list.origin, hasVariables: false))
    }
  }

  /// Keys that another program reads from the same file.
  public func leave(_ keys: String...) {
    known.formUnion(keys)
    if path.isEmpty { shared.left += keys }
  }

  /// A file that the settings rest on besides those that this reader reads itself.
  public func note(file: String) {
    if shared.files[file] == nil { shared.files[file] = .some(FilePrint(file)) }
  }

  /// A fault that the service itself found in a value.
  public func refuse(_ key: String, _ sentence: String) {
    shared.faults.append("\(place(of: key)): \(join(key)) \(sentence)")
  }

  // MARK: Reading

  private func value<Value>(
    _ key: String, _ kind: String, _ standard: Value?, _ written: String?, _ meaning: String,
    text: (String) -> Value?, json: (JSONView) -> Value?
  ) -> Value? {
    known.insert(key)
    shared.keys.append(SettingKey(path: join(key), kind: kind, standard: written, meaning: meaning))
    if let (name, given) = variable(key) {
      if let value = text(given) { return value }
      shared.faults.append("\(name): \(join(key)) is \"\(given.prefix(100))\"; allowed is \(kind)")
      return standard
    }
    guard let found = view?[key] else {
      if written == nil { shared.faults.append("\(origin): \(join(key)) is missing; it is \(kind): \(meaning)") }
      return standard
    }
    if let value = json(found) { return value }
    fault(key, found, kind, in: origin)
    return standard
  }

  private func variable(_ key: String) -> (name: String, value: String)? {
    guard hasVariables else { return nil }
    let name = SettingKey.variable(for: join(key))
    return shared.environment[name].map { (name, $0) }
  }

  /// An object or list, and the file or variable it stands in.
  private typealias Inside = (view: JSONView, origin: String)

  private func inside(_ key: String) -> Inside? {
    guard let (name, text) = variable(key) else { return view?[key].map { ($0, origin) } }
    do throws(JSONError) { return (try JSONDocument(bytes: Array(text.utf8)).root, name) } catch {
      shared.faults.append("\(name): \(join(key)) is no JSON: \(error)")
      return nil
    }
  }

  private func fault(_ key: String, _ found: JSONView, _ allowed: String, in origin: String) {
    let (line, column) = found.position
    // A value of several lines becomes one.
    let text = String(decoding: found.bytes.prefix(100).map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
    shared.faults.append("\(origin), line \(line), column \(column): \(join(key)) is \(text); allowed is \(allowed)")
  }

  private func place(of key: String) -> String {
    if let (name, _) = variable(key) { return name }
    guard let found = view?[key] else { return origin }
    return "\(origin), line \(found.position.line), column \(found.position.column)"
  }

  private func refuseUnknown() {
    for (key, value) in view?.members ?? [] where !known.contains(key) {
      let near = Nearest.word(to: key, among: known.sorted()).map { "; did you mean \($0)?" } ?? "."
      shared.faults.append(
        "\(origin), line \(value.position.line): \(join(key)) is not a key\(near) Known are "
          + known.sorted().joined(separator: ", "))
    }
  }

  /// Only warned about: an orchestrator may set variables with our prefix that mean nothing to us.
  private func warnOfUnknownVariables() {
    let variables = Set(shared.keys.map { SettingKey.variable(for: $0.path) })
    let others = shared.left.map { SettingKey.variable(for: $0) }
    for name in shared.environment.keys.sorted() where name.hasPrefix("REFUNDLOG_") && name != "REFUNDLOG_SETTINGS" {
      if variables.contains(name) || variables.contains(where: { name == $0.prefix { $0 != "[" } }) { continue }
      if others.contains(where: { name == $0 || name.hasPrefix($0 + "_") }) { continue }
      guard let near = Nearest.word(to: name, among: variables.sorted()) else { continue }
      shared.warnings.append("\(name) is the variable of no key and is not looked at; did you mean \(near)?")
    }
  }

  private func join(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

extension [String?] {
  /// nil where one of them is.
  fileprivate var whole: [String]? {
    let all = compactMap { $0 }
    return all.count == count ? all : nil
  }
}

extension SettingsReader {
  /// The secret in a file that a key names; empty after a fault. Its bytes never reach a message, and neither does the
  /// path: it may be the secret itself, put there by mistake.
  public func secret(of key: String, at path: String) -> [UInt8] {
    note(file: path)
    do throws(FileError) {
      let secret = try Files.secret(path)
      if Files.isReadableByOthers(path) {
        shared.warnings.append(
          "\(place(of: key)): the file that \(join(key)) names can be read by every user of this machine: chmod o-r")
      }
      return secret
    } catch {
      refuse(
        key,
        "must be the path of a file that holds the secret, not the secret; cannot \(error.doing) it: \(error.reason)")
      return []
    }
  }
}

import EventLog
import JSON
import Service

/// `refundlog log stats`
struct ShowStatistics: Command {
  static let page = CommandPage(
    name: "log stats", summary: "How much is in the log, of what, and how fast it grows",
    details: "It reads the whole log once, beside running services: a second or a few for a million events.",
    options: [.data, .settings, .json])

  private static let rowsMax = 40

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let statistics: LogStatistics
    do throws(TransferError) { statistics = try LogStatistics(of: folder) } catch { throw CommandError(error) }
    surroundings.print(asJSON ? Self.json(statistics).text() + "\n" : Self.text(statistics))
  }

  // MARK: For people

  private static func text(_ found: LogStatistics) -> String {
    var text = "log \(found.log): \(found.events) events, \(Size.text(found.contentBytes))"
    if let bytes = found.bytesPerEvent { text += ", \(bytes) bytes an event on disk" }
    text += "; file \(Size.text(found.fileBytes)), write-ahead log \(Size.text(found.walBytes))\n"
    if let first = found.first, let newest = found.newest {
      text += "recorded from \(RFC3339.text(first)) to \(RFC3339.text(newest)); \(found.erased) erased\n"
    }
    if let growth = found.growth {
      text += "over the last \(Size.decimal(growth.days)) days: \(Int64(growth.eventsPerDay.rounded())) events a day"
      if let bytes = found.bytesPerDay { text += ", \(Size.text(bytes)) a day, \(Size.text(bytes * 365)) a year" }
      text += "\n"
    } else if found.events > 0 {
      text += "younger than a day: how fast it grows is not told yet\n"
    }
    if !found.streams.isEmpty {
      text +=
        "streams: "
        + found.streams.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.value) \($0.key)" }.joined(separator: ", ") + "\n"
    }
    text += section("TYPE", found.counted { $0.type })
    text += section("NOTIFICATION", found.counted { $0.kind })
    text += section(
      "APP, ENVIRONMENT", found.counted { group in group.app.map { "\($0), \(group.environment ?? "none")" } })
    if found.isCut { text += "\nThere are more kinds than are told here.\n" }
    return text
  }

  private static func section(_ name: String, _ rows: [(String, Int64)]) -> String {
    if rows.isEmpty { return "" }
    var text =
      "\n" + Table(header: [name, "EVENTS"], rows: rows.prefix(rowsMax).map { [$0.0, String($0.1)] }).description
    if rows.count > rowsMax { text += "and \(rows.count - rowsMax) more; --json tells all\n" }
    return text
  }

  // MARK: For machines

  private static func json(_ found: LogStatistics) -> JSONValue {
    func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
    func object(_ rows: [(String, Int64)]) -> JSONValue {
      var object = JSONObject()
      for (name, count) in rows { object[name] = number(count) }
      return .object(object)
    }
    var result: JSONObject = [
      "log": .string(found.log), "events": number(found.events), "erased": number(found.erased),
      "contentBytes": number(found.contentBytes), "fileBytes": number(found.fileBytes),
      "walBytes": number(found.walBytes),
    ]
    result["firstRecordedAt"] = found.first.map(number)
    result["newestRecordedAt"] = found.newest.map(number)
    result["bytesPerEvent"] = found.bytesPerEvent.map(number)
    result["eventsPerDay"] = found.growth.map { number(Int64($0.eventsPerDay.rounded())) }
    result["bytesPerDay"] = found.bytesPerDay.map(number)
    result["streams"] = object(found.streams.sorted { $0.key < $1.key })
    result["types"] = object(found.counted { $0.type })
    result["kinds"] = object(found.counted { $0.kind })
    var apps: [JSONValue] = []
    for app in Set(found.groups.compactMap(\.app)).sorted() {
      let environments = found.counted { $0.app == app ? $0.environment ?? "none" : nil }
      apps.append(["app": .string(app), "environments": object(environments)])
    }
    result["apps"] = .array(apps)
    result["cut"] = .bool(found.isCut)
    return .object(result)
  }
}

extension LogStatistics.Growth {
  fileprivate var eventsPerDay: Double { Double(events) / days }
}

extension LogStatistics {
  fileprivate var bytesPerEvent: Int64? { events == 0 ? nil : contentBytes / events }

  fileprivate var bytesPerDay: Int64? {
    guard let growth, events > 0 else { return nil }
    return Int64(growth.eventsPerDay * Double(contentBytes) / Double(events))
  }

  /// Events by a name, most first; what has none is left out.
  fileprivate func counted(_ name: (Group) -> String?) -> [(String, Int64)] {
    var counts: [String: Int64] = [:]
    for group in groups { if let name = name(group) { counts[name, default: 0] += group.events } }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }
}

import EventLog
import JSON
import Service

/// `refundlog apps list`
struct AppsList: Command {
  static let page = CommandPage(
    name: "apps list", summary: "Shows each app of the settings: what is set up, what is wrong, what was heard of it",
    details: """
      «Last notification» is what the log holds; it needs the data folder readable, and looks at the newest
      \(LastSeen.eventsMax) events. Where the settings have faults they are told after the list, and it ends with 78.
      """,
    options: [.settings, .data, .json])

  private let surroundings: RefundlogProgram.Surroundings
  private let file: SettingsFile
  private let data: String
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    file = try SettingsFile.read(arguments, surroundings)
    data = try SettingsFile.dataFolder(arguments, surroundings)
    asJSON = arguments.has("json")
  }

  func run() throws(CommandError) {
    let apps = AppEntry.all(of: file)
    var seen: LastSeen?
    var unread: String?
    do throws(CommandError) {
      let log = try LocalEventLog.reading(data)
      do throws(LogReadError) { seen = try LastSeen(apps.compactMap(\.bundleID), in: log) } catch {
        throw CommandError(error)
      }
    } catch { unread = error.description }
    if asJSON {
      surroundings.print(JSONValue.object(["apps": .array(apps.map { json($0, seen) })]).text() + "\n")
    } else if apps.isEmpty {
      surroundings.print("\(file.path) names no app; refundlog apps add adds one\n")
    } else {
      surroundings.print(apps.map { text($0, seen) }.joined(separator: "\n"))
      if let unread { surroundings.print("\nThe log was not looked at: \(Shown.text(unread))\n") }
    }
    let faults = SettingsFile.faults(of: file.path, named: file.path, variables: surroundings.variables)
    if !faults.isEmpty {
      throw CommandError(
        .settings, "with these settings nothing starts:\n\(faults.map(Shown.text).joined(separator: "\n"))")
    }
  }

  private func text(_ app: AppEntry, _ seen: LastSeen?) -> String {
    let environments = app.environments.joined(separator: ", ")
    var rows = [
      ["  app id", app.appID.map(String.init) ?? "none (Production needs it)"],
      ["  environments", environments.isEmpty ? "none: its notifications are parked" : environments],
    ]
    switch app.key {
    case .none: rows.append(["  key", "none: its cases are followed and nothing is sent"])
    case .usable: rows.append(["  key", "\(app.keyID ?? "without id"), readable"])
    case .wrong(let reason): rows.append(["  key", "\(app.keyID ?? "without id"), NOT USABLE: \(reason)"])
    }
    rows.append([
      "  the two facts",
      app.products.isEmpty
        ? "declared for no product: they must come as evidence, else requests are withheld"
        : "declared for \(app.products.joined(separator: ", "))",
    ])
    rows.append(["  consent", app.hasBasis ? "a basis is declared for the whole app" : "each customer's own"])
    if let seen, let bundleID = app.bundleID {
      rows.append(["  last notification", seen.events[bundleID].map(words) ?? "none yet"])
    }
    return Shown.text(app.bundleID ?? "(without bundle id)") + "\n" + Table(rows: rows).description
  }

  private func words(_ event: RecordedEvent) -> String {
    "\(RFC3339.text(event.occurredAt)), \(Shown.span(surroundings.clock.now() - event.occurredAt)) ago: "
      + "\(event.kind ?? ""), \(event.environment ?? ""), position \(event.position)"
  }

  private func json(_ app: AppEntry, _ seen: LastSeen?) -> JSONValue {
    var object: JSONObject = [
      "environments": .array(app.environments.map { .string($0) }),
      "productsDeclared": .array(app.products.map { .string($0) }), "consentBasis": .bool(app.hasBasis),
    ]
    object["bundleId"] = app.bundleID.map { .string($0) }
    object["appAppleId"] = app.appID.map { .number(JSONNumber($0)) }
    switch app.key {
    case .none: break
    case .usable: object["key"] = ["id": .string(app.keyID ?? ""), "usable": true]
    case .wrong(let reason):
      object["key"] = ["id": .string(app.keyID ?? ""), "usable": false, "reason": .string(reason)]
    }
    if let event = app.bundleID.flatMap({ seen?.events[$0] }) {
      object["lastNotification"] = [
        "receivedAt": .number(JSONNumber(event.occurredAt)), "kind": .string(event.kind ?? ""),
        "environment": .string(event.environment ?? ""), "position": .number(JSONNumber(event.position.value)),
      ]
    }
    return .object(object)
  }
}

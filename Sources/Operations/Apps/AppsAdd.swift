import AppStore
import JSON
import Service

/// `refundlog apps add`
struct AppsAdd: Command {
  static let page = CommandPage(
    name: "apps add", summary: "Adds an app to the settings, or to an app what it lacks",
    details: """
      The file keeps every byte outside the app's own entry. The whole is checked with the services' own readers before
      it takes the old one's place; permissions and owner stay. An app that is there gets what it lacks: an
      environment, its app id, a key, the two facts. What is there already is never changed; for that, edit the file.
      """,
    options: AppStatement.options + [.settings])

  private let surroundings: RefundlogProgram.Surroundings
  private let file: SettingsFile
  private let statement: AppStatement

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    statement = try AppStatement(arguments, Self.page)
    guard statement.bundleID != nil else { throw Self.page.usageError("--bundle-id is missing") }
    file = try SettingsFile.read(arguments, surroundings)
  }

  func run() throws(CommandError) {
    try SettingsFile.refuseVariable(surroundings)
    let bundleID = statement.bundleID!
    if let apps = file.root["apps"], apps.elements == nil {
      throw CommandError(.settings, "\(file.path), line \(apps.position.line): apps is not a list")
    }
    let edit = SettingsEdit(file)
    let apps = AppEntry.all(of: file)
    guard let index = apps.firstIndex(where: { $0.bundleID == bundleID }) else {
      try refuseProductionWithoutID(statement.appID, statement.environmentsOrStandard)
      try put(edit.adding(.object(statement.json)))
      surroundings.print(
        """
        \(Shown.text(bundleID)) is added to \(file.path), for \(statement.environmentsOrStandard.joined(separator: " and ")).
        \(Self.afterwards)

        """)
      return tellMissing(statement.json)
    }
    let (app, added) = try completed(apps[index])
    if added.isEmpty {
      return surroundings.print("\(Shown.text(bundleID)) is set up so already; nothing was changed.\n")
    }
    try put(edit.replacing(app: index, with: .object(app)))
    surroundings.print(
      "\(Shown.text(bundleID)) got \(added.joined(separator: ", ")) in \(file.path).\n\(Self.afterwards)\n")
    tellMissing(app)
  }

  static let afterwards = """
    Running services look at the file once a second and take it over by themselves; what was parked for lack of it is
    fed in then. Nothing needs to be restarted.
    """

  private func put(_ text: [UInt8]) throws(CommandError) {
    try SettingsDraft.put(text, at: file.path, was: file.print, variables: surroundings.variables)
  }

  private func refuseProductionWithoutID(_ appID: Int64?, _ environments: [String]) throws(CommandError) {
    guard appID == nil, environments.contains(ServerEnvironment.production.rawValue) else { return }
    throw CommandError(
      .settings,
      "--app-id is missing: \(Shown.text(statement.bundleID!)) is to be set up for Production, whose notifications are "
        + "told apart by the number that App Store Connect shows under App Information as «Apple ID». "
        + "Nothing was changed")
  }

  /// The entry with what it lacked, and what that was in words.
  private func completed(_ entry: AppEntry) throws(CommandError) -> (app: JSONObject, added: [String]) {
    guard var app = JSONValue(entry.view).object else { preconditionFailure("it has a bundle id") }
    var added: [String] = []
    if let appID = statement.appID {
      if let found = entry.appID, found != appID { throw differs("app id", "\(found)") }
      if app["appAppleId"] == nil { added.append("the app id \(appID)") }
      app["appAppleId"] = .number(JSONNumber(appID))
    }
    let lacking = (statement.environments ?? []).filter { !entry.environments.contains($0) }
    if !lacking.isEmpty {
      app["environments"] = .array((entry.environments + lacking).map { .string($0) })
      added.append("the environment \(lacking.joined(separator: " and "))")
    }
    if let key = statement.keyJSON {
      if let found = app["key"], found != key { throw differs("key", entry.keyID ?? "without id") }
      if app["key"] == nil { added.append("the key \(statement.key!.id)") }
      app["key"] = key
    }
    if let products = statement.productsJSON?.array {
      var declared = app["products"]?.array ?? []
      if let every = declared.first(where: { $0["productId"]?.string == "*" }) {
        if every != products[0] { throw differs("statement for every product", every.text()) }
      } else {
        declared += products
        app["products"] = .array(declared)
        added.append("the two facts for every product")
      }
    }
    try refuseProductionWithoutID(app["appAppleId"]?.int64, (app["environments"]?.array ?? []).compactMap(\.string))
    return (app, added)
  }

  private func differs(_ what: String, _ found: String) -> CommandError {
    CommandError(
      .failure,
      "\(Shown.text(statement.bundleID!)) has another \(what) already, \(Shown.text(found)); nothing was changed. "
        + "To change it, edit \(file.path)")
  }

  private func tellMissing(_ app: JSONObject) {
    for part in MissingPart.all(of: app) {
      surroundings.print("\(part.sentence(of: app, settings: file.path))\n")
    }
  }
}

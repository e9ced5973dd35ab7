import AppStore
import Glibc
import JSON
import Service

/// What an operator says of one app, in flags or in answers to questions; `init` and `apps add` share it.
struct AppStatement {
  static let options: [CommandOption] = [
    CommandOption(name: "bundle-id", value: "ID", meaning: "bundle id of the app, spelled as in App Store Connect"),
    CommandOption(
      name: "app-id", value: "NUMBER",
      meaning: "«Apple ID» under App Information in App Store Connect; Production needs it"),
    CommandOption(
      name: "environments", value: "LIST",
      meaning: "Production,Sandbox or one of them; default: both with an app id, else Sandbox"
    ),
    CommandOption(
      name: "key", value: "FILE", meaning: "the .p8 file of an In-App Purchase key; without one nothing is sent"),
    CommandOption(name: "key-id", value: "ID", meaning: "the key's id in App Store Connect"),
    CommandOption(name: "issuer", value: "ID", meaning: "issuer id, above the keys in App Store Connect"),
    CommandOption(
      name: "delivered", value: "yes|no", meaning: "your statement for every product: what was bought is delivered"),
    CommandOption(
      name: "sample", value: "yes|no",
      meaning: "your statement for every product: a sample or trial came before the purchase"),
  ]

  var bundleID: String?
  var appID: Int64?
  /// nil: not said.
  var environments: [String]?
  /// nil: none named.
  var key: (file: String, id: String, issuer: String)?
  /// The two facts go together: Apple requires both, and nobody may guess either.
  var facts: (delivered: Bool, sample: Bool)?

  init() {}

  init(_ arguments: Arguments, _ page: CommandPage) throws(CommandError) {
    bundleID = arguments["bundle-id"]
    if let text = arguments["app-id"] { appID = try Self.appID(text, page) }
    if let text = arguments["environments"] { environments = try Self.environments(text, page) }
    let parts = (arguments["key"], arguments["key-id"], arguments["issuer"])
    switch parts {
    case (let file?, let id?, let issuer?): key = (AbsolutePath.of(file), id, issuer)
    case (nil, nil, nil): break
    default:
      let missing = [("--key", parts.0), ("--key-id", parts.1), ("--issuer", parts.2)].filter { $0.1 == nil }.map(\.0)
      throw page.usageError(
        "--key, --key-id and --issuer go together: \(missing.joined(separator: " and ")) is missing")
    }
    let said = (try Self.yes(arguments, "delivered", page), try Self.yes(arguments, "sample", page))
    switch said {
    case (let delivered?, let sample?): facts = (delivered, sample)
    case (nil, nil): break
    case (nil, _): throw page.usageError("--delivered is missing: the two facts are stated together")
    case (_, nil): throw page.usageError("--sample is missing: the two facts are stated together")
    }
  }

  /// What `environments` says, else both where the app id is known.
  var environmentsOrStandard: [String] {
    environments ?? (appID == nil ? ["Sandbox"] : ["Production", "Sandbox"])
  }

  /// The object as it stands in `apps`.
  var json: JSONObject {
    var app: JSONObject = ["bundleId": .string(bundleID ?? "")]
    app["appAppleId"] = appID.map { .number(JSONNumber($0)) }
    app["environments"] = .array(environmentsOrStandard.map { .string($0) })
    app["key"] = keyJSON
    app["products"] = productsJSON
    return app
  }

  var keyJSON: JSONValue? {
    key.map { ["id": .string($0.id), "issuer": .string($0.issuer), "file": .string($0.file)] }
  }

  var productsJSON: JSONValue? {
    facts.map { facts in
      [
        [
          "productId": "*",
          // «No» says that it was not delivered, and none of Apple's nearer reasons.
          "deliveryStatus": .string((facts.delivered ? DeliveryStatus.delivered : .undeliveredOther).rawValue),
          "sampleContentProvided": .bool(facts.sample),
        ]
      ]
    }
  }

  static func appID(_ text: String, _ page: CommandPage) throws(CommandError) -> Int64 {
    guard let number = Int64(text), number > 0 else {
      throw page.usageError("--app-id is \(Shown.text(text)); it is a positive number shown in App Store Connect")
    }
    return number
  }

  private static func environments(_ text: String, _ page: CommandPage) throws(CommandError) -> [String] {
    var names: [String] = []
    for part in text.split(separator: ",") {
      let allowed = ServerEnvironment.allCases.map(\.rawValue)
      guard let name = allowed.first(where: { $0.lowercased() == part.lowercased() }) else {
        throw page.usageError("--environments holds \(Shown.text(String(part))); allowed are Production and Sandbox")
      }
      if !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else { throw page.usageError("--environments is empty; allowed are Production and Sandbox") }
    return names
  }

  private static func yes(
    _ arguments: Arguments, _ name: String, _ page: CommandPage
  ) throws(CommandError) -> Bool? {
    guard let text = arguments[name] else { return nil }
    guard let answer = yes(text) else {
      throw page.usageError("--\(name) is \(Shown.text(text)); allowed are yes and no")
    }
    return answer
  }

  /// nil for anything else than a plain yes or no.
  static func yes(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "y": true
    case "no", "n": false
    default: nil
    }
  }
}

import AppStoreSimulator
import Cryptography
import Glibc
import JSON
import Service

/// `refundlog init`
struct Init: Command {
  static let page = CommandPage(
    name: "init", summary: "Writes settings that work as they are, and what stands beside them",
    details: """
      It writes refundlog.json, which serves both services and the simulator, refundlog.md with every key explained, the
      folder data, and a token for your back end in the file backend-token (0600). On a terminal it asks for what it
      cannot find out. It never writes over anything: run again, it says what is there and what is missing, and makes
      what an interrupted run left out.

      The two facts that Apple requires are yours to state (--delivered, --sample): nobody may guess them.
      --rehearsal wires the simulator in the place of the App Store: its root, its key, addresses of this machine.
      """,
    options: [
      CommandOption(name: "folder", value: "DIR", meaning: "where all of it goes; default: the working folder")
    ] + AppStatement.options + [
      CommandOption(name: "rehearsal", value: nil, meaning: "the simulator stands in for the App Store"),
      CommandOption(
        name: "ports", value: "A,B,C", meaning: "of receiver, responder and simulator; default: 8080,8081,8090",
        isCommon: false),
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let isRehearsal: Bool
  private let ports: [Int64]
  private var statement: AppStatement

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = AbsolutePath.of(arguments["folder"] ?? ".")
    isRehearsal = arguments.has("rehearsal")
    statement = try AppStatement(arguments, Self.page)
    let numbers = (arguments["ports"] ?? "8080,8081,8090").split(separator: ",").map { UInt16($0).map(Int64.init) ?? 0 }
    guard numbers.count == 3, !numbers.contains(0), Set(numbers).count == 3 else {
      throw Self.page.usageError("--ports is three different numbers from 1 to 65535: receiver,responder,simulator")
    }
    ports = numbers
    if isRehearsal, statement.key != nil {
      throw Self.page.usageError("--rehearsal has the simulator's key; --key is for the App Store itself")
    }
  }

  func run() throws(CommandError) {
    var steps = InitSteps(folder: folder, say: surroundings.print)
    if access(steps.settings, F_OK) == 0 { return try runAgain(&steps) }
    let statement = try InitQuestions(surroundings, isRehearsal: isRehearsal).completed(statement, Self.page)
    try steps.makeFolders()
    try steps.makeToken(steps.token)
    if isRehearsal { try steps.makeSimulator(steps.simulator) }
    try steps.writeSettings(
      InitSettings(statement, steps, ports: ports, isRehearsal: isRehearsal).json, variables: surroundings.variables)
    try steps.writeCompanion()
    finish(steps)
  }

  /// The settings are there: everything else follows them.
  private func runAgain(_ steps: inout InitSteps) throws(CommandError) {
    let file = try SettingsFile(steps.settings)
    surroundings.print("\(steps.settings) is there and stays as it is.\n")
    steps.data = file.root["data"]?.string.map(AbsolutePath.of) ?? steps.data
    try steps.makeFolders()
    if let token = file.root["responder"]?["tokenFile"]?.string { try steps.makeToken(AbsolutePath.of(token)) }
    if let simulator = file.root["simulator"]?["dataFolder"]?.string {
      try steps.makeSimulator(AbsolutePath.of(simulator))
    }
    try steps.writeCompanion()
    let faults = SettingsFile.faults(of: steps.settings, named: steps.settings, variables: surroundings.variables)
    guard faults.isEmpty else {
      throw CommandError(
        .settings,
        "with these settings nothing starts; mend what stands here, then run this again:\n"
          + faults.map(Shown.text).joined(separator: "\n"))
    }
    if statement.bundleID != nil {
      surroundings.print("To add an app, or to an app what it lacks, use refundlog apps add with the same flags.\n")
    }
    finish(steps)
  }

  private func finish(_ steps: InitSteps) {
    let apps = (try? SettingsFile(steps.settings)).map(AppEntry.all) ?? []
    if apps.isEmpty {
      surroundings.print("\nMissing: an app. refundlog apps add --bundle-id ID adds one.\n")
    }
    for app in apps {
      guard let object = JSONValue(app.view).object else { continue }
      // A rehearsal knows no Production.
      let parts = MissingPart.all(of: object).filter { !(steps.isRehearsal && $0 == .appID) }
      if !parts.isEmpty { surroundings.print("\n\(Shown.text(app.bundleID ?? "")):\n") }
      for part in parts { surroundings.print("  \(part.sentence(of: object, settings: steps.settings))\n") }
    }
    surroundings.print(NextCommands(steps, programs: surroundings.programs).text)
  }
}

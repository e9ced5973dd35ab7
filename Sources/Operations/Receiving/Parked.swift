import Cryptography
import JSON
import Receiver
import Service

/// `refundlog parked`
struct Parked: Command {
  static let page = CommandPage(
    name: "parked", summary: "Lists genuine notifications that fit no app of the settings, each with what takes it in",
    details: """
      They were answered with 200 and are kept. A change of the settings that fits them feeds them into the log by itself,
      with the time at which they came first. What says «shape» waits for a newer release.
      Anybody with an app can have its notifications sent here: refundlog parked remove takes out what is not yours.
      """,
    options: [
      CommandOption(name: "limit", value: "N", meaning: "at most this many, 1 to 1000; default 100"),
      CommandOption(name: "after", value: "NUMBER", meaning: "goes on after this number"), .data, .settings, .json,
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let settings: String?
  private let limit: Int
  private let after: Int64
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    settings = SettingsFile.path(arguments, surroundings)
    limit = try Quarantine.limit(arguments, Self.page)
    asJSON = arguments.has("json")
    guard let after = Int64(arguments["after"] ?? "0"), after >= 0 else {
      throw Self.page.usageError("--after is \(Shown.text(arguments["after"] ?? "")); allowed is a number of this list")
    }
    self.after = after
  }

  func run() throws(CommandError) {
    let found: [ParkedNotification]
    let count: Int
    do throws(ReceiverStateError) {
      let state = try ReceiverState(folder: folder)
      found = try state.parked(after: after, limit: limit)
      count = try state.parkedCount()
    } catch { throw CommandError(error) }
    if asJSON {
      let parked: JSONValue = ["parked": .array(found.map(json)), "inAll": .number(JSONNumber(Int64(count)))]
      return surroundings.print(parked.text() + "\n")
    }
    if found.isEmpty { return surroundings.print("Nothing is parked\(after > 0 ? " after \(after)" : "").\n") }
    for notification in found { surroundings.print(text(notification)) }
    if found.count < count, let last = found.last {
      surroundings.print("\n\(count) are parked in all; --after \(last.id) goes on.\n")
    }
  }

  private func text(_ notification: ParkedNotification) -> String {
    let ago = Shown.span(surroundings.clock.now() - notification.firstReceivedAt)
    var text =
      "\(notification.id)  \(notification.type ?? "without type")  \(notification.bundleID ?? "no bundle id"), "
      + "\(notification.environment ?? "no environment")\n"
      + "    first came \(RFC3339.text(notification.firstReceivedAt)), \(ago) ago; \(notification.deliveries) "
      + "\(notification.deliveries == 1 ? "delivery" : "deliveries"); UUID \(notification.notificationUUID ?? "none")\n"
      + "    \(notification.reason.rawValue): \(notification.detail)\n"
    if let command = command(for: notification) { text += "    \(command)\n" }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { Shown.text(String($0)) }
      .joined(separator: "\n")
  }

  /// The command that makes it fit, ready to paste; nil where none does.
  private func command(for notification: ParkedNotification) -> String? {
    guard let bundleID = notification.bundleID, let environment = notification.environment else { return nil }
    let add =
      "refundlog apps add\(settings.map { " --settings \(AbsolutePath.quoted($0))" } ?? "") --bundle-id "
      + AbsolutePath.quoted(bundleID)
    let appID = notification.appAppleID.map { " --app-id \($0)" } ?? ""
    switch notification.reason {
    case .bundleId, .environment:
      // Whoever has an app can have its notifications sent here.
      let condition = notification.reason == .bundleId ? "if it is yours, " : ""
      return
        "\(condition)takes it in: \(add)\(environment == "Production" ? appID : "") --environments \(AbsolutePath.quoted(environment))"
    case .appAppleId:
      return
        "takes it in: set appAppleId of \(bundleID)\(notification.appAppleID.map { " to \($0)" } ?? "") in the settings"
    case .shape: return nil
    }
  }

  private func json(_ notification: ParkedNotification) -> JSONValue {
    var object: JSONObject = [
      "number": .number(JSONNumber(notification.id)), "reason": .string(notification.reason.rawValue),
      "detail": .string(notification.detail), "firstReceivedAt": .number(JSONNumber(notification.firstReceivedAt)),
      "lastReceivedAt": .number(JSONNumber(notification.lastReceivedAt)),
      "deliveries": .number(JSONNumber(notification.deliveries)),
      "tokenDigest": .string(Hex.encode(notification.tokenDigest)),
    ]
    object["bundleId"] = notification.bundleID.map { .string($0) }
    object["environment"] = notification.environment.map { .string($0) }
    object["appAppleId"] = notification.appAppleID.map { .number(JSONNumber($0)) }
    object["notificationUUID"] = notification.notificationUUID.map { .string($0) }
    object["type"] = notification.type.map { .string($0) }
    object["takenInBy"] = command(for: notification).map { .string($0) }
    return .object(object)
  }
}

extension CommandError {
  init(_ error: ReceiverStateError) {
    self.init(error.isDamage ? .damage : .unavailable, error.description)
  }
}

import JSON
import Receiver
import Service

/// `refundlog parked remove`
struct ParkedRemove: Command {
  static let page = CommandPage(
    name: "parked remove", repeatedWord: "NUMBER", summary: "Removes parked notifications for good",
    details: """
      For what a stranger sent, and for what is of no use any more. Name numbers of refundlog parked, or a bundle id for
      all that is parked of it. Nothing brings it back: it was answered with 200, and Apple does not send it again.
      """,
    options: [
      CommandOption(name: "bundle-id", value: "ID", meaning: "all that is parked for this bundle, instead of numbers"),
      .data, .settings, .json,
    ])

  private enum Which {
    case numbers([Int64])
    case bundle(String)
  }

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let which: Which
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    asJSON = arguments.has("json")
    if let bundleID = arguments["bundle-id"] {
      guard arguments.words.isEmpty else { throw Self.page.usageError("either numbers or --bundle-id, not both") }
      which = .bundle(bundleID)
      return
    }
    var numbers: [Int64] = []
    for word in arguments.words {
      guard let number = Int64(word), number > 0 else {
        throw Self.page.usageError("\(Shown.text(word)) is no number that refundlog parked shows")
      }
      numbers.append(number)
    }
    guard !numbers.isEmpty else { throw Self.page.usageError("a NUMBER or --bundle-id is missing") }
    which = .numbers(numbers)
  }

  func run() throws(CommandError) {
    var removed: [RemovedNotification] = []
    do throws(ReceiverStateError) {
      let removal = try ParkedRemoval(folder: folder)
      // What is gone is told at once, also where a later step fails.
      let take = { (gone: [RemovedNotification]) in
        removed += gone
        if !asJSON { for notification in gone { surroundings.print(text(notification)) } }
      }
      switch which {
      case .numbers(let numbers): try removal.remove(numbers, take)
      case .bundle(let bundleID): try removal.remove(bundleID: bundleID, take)
      }
    } catch { throw CommandError(error) }
    if removed.isEmpty {
      throw CommandError(.failure, "nothing is removed: \(missing(removed) ?? "nothing is parked") (refundlog parked)")
    }
    if asJSON {
      return surroundings.print(JSONValue.object(["removed": .array(removed.map(json))]).text() + "\n")
    }
    if let missing = missing(removed) { surroundings.print("\(missing).\n") }
  }

  /// What was named and is not parked; nil where all of it was.
  private func missing(_ removed: [RemovedNotification]) -> String? {
    switch which {
    case .bundle(let bundleID): return removed.isEmpty ? "nothing is parked for \(Shown.text(bundleID))" : nil
    case .numbers(let numbers):
      let gone = Set(removed.map(\.id))
      let rest = numbers.filter { !gone.contains($0) }.map { String($0) }
      return rest.isEmpty ? nil : "not parked: \(rest.joined(separator: ", "))"
    }
  }

  private func text(_ notification: RemovedNotification) -> String {
    Shown.text(
      "removed \(notification.id)  \(notification.type ?? "without type")  "
        + "\(notification.bundleID ?? "no bundle id"), \(notification.environment ?? "no environment"), first came "
        + "\(RFC3339.text(notification.firstReceivedAt)), UUID \(notification.notificationUUID ?? "none")") + "\n"
  }

  private func json(_ notification: RemovedNotification) -> JSONValue {
    var object: JSONObject = [
      "number": .number(JSONNumber(notification.id)),
      "firstReceivedAt": .number(JSONNumber(notification.firstReceivedAt)),
      "deliveries": .number(JSONNumber(notification.deliveries)),
    ]
    object["bundleId"] = notification.bundleID.map { .string($0) }
    object["environment"] = notification.environment.map { .string($0) }
    object["notificationUUID"] = notification.notificationUUID.map { .string($0) }
    object["type"] = notification.type.map { .string($0) }
    return .object(object)
  }
}

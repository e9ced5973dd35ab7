import AppStore

/// Whose a notification says it is, beside what the settings name.
struct IdentityComparison {
  /// One of the three identifiers.
  struct Row {
    var name: String
    var received: String?
    var expected: String
  }

  let rows: [Row]
  let isOurs: Bool
  /// In a sentence.
  let words: String

  init(_ identity: NotificationIdentity, _ apps: [AppIdentity]) {
    let named = apps.filter { app in identity.bundleId.map { $0.utf8.elementsEqual(app.bundleId.utf8) } ?? false }
    // Of an app that is not there, nothing can be expected but its name.
    let appIDs = named.compactMap(\.appAppleId).map(String.init)
    let environments = Set(named.flatMap(\.environments)).map(\.rawValue).sorted()
    rows = [
      Row(name: "bundle id", received: identity.bundleId, expected: Self.list(apps.map(\.bundleId))),
      Row(
        name: "app id", received: identity.appAppleId.map(String.init),
        expected: named.isEmpty ? "" : appIDs.isEmpty ? "none, not compared" : Self.list(appIDs)),
      Row(
        name: "environment", received: identity.environment?.rawValue,
        expected: named.isEmpty ? "" : Self.list(environments)),
    ]
    let verdict = identity.judge(against: apps)
    words = verdict.description
    if case .accepted = verdict { isOurs = true } else { isOurs = false }
  }

  private static func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}

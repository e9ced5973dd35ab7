import JSON

/// Something that an app's settings lack for answers to be sent.
enum MissingPart: CaseIterable {
  case appID
  case key
  /// The two facts that Apple requires.
  case facts

  static func all(of app: JSONObject) -> [MissingPart] { allCases.filter { $0.isMissing(in: app) } }

  private func isMissing(in app: JSONObject) -> Bool {
    switch self {
    case .appID: app["appAppleId"] == nil
    case .key: app["key"] == nil
    case .facts: app["products"]?.array?.isEmpty ?? true
    }
  }

  /// With the command that adds it.
  func sentence(of app: JSONObject, settings: String) -> String {
    let bundleID = AbsolutePath.quoted(app["bundleId"]?.string ?? "")
    let add = "refundlog apps add --settings \(AbsolutePath.quoted(settings)) --bundle-id \(bundleID)"
    return switch self {
    case .appID:
      """
      Missing: the app id, so nothing of Production is taken. It is the number under App Information in App Store
        Connect, «Apple ID»: \(add) --app-id NUMBER --environments Production
      """
    case .key:
      """
      Missing: a key, so cases are followed and nothing is sent to Apple. Make one of the kind In-App Purchase in
        App Store Connect: \(add) --key FILE --key-id ID --issuer ID
      """
    case .facts:
      """
      Missing: the two facts that Apple requires, whether purchases are delivered and whether a sample came before.
        Only you know them, and nothing here guesses. Where they are the same for every product:
        \(add) --delivered yes|no --sample yes|no
        Where they differ, name the products in the file, or have your back end send evidence. Without them requests
        are withheld as noFacts.
      """
    }
  }
}

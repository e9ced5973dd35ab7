import JSON

/// What an app's settings lack for answers to be sent, each with the command that adds it.
enum MissingParts {
  static func sentences(of app: JSONObject, settings: String) -> [String] {
    let bundleID = app["bundleId"]?.string ?? ""
    let add =
      "refundlog apps add --settings \(AbsolutePath.quoted(settings)) --bundle-id \(AbsolutePath.quoted(bundleID))"
    var sentences: [String] = []
    if app["appAppleId"] == nil {
      sentences.append(
        """
        Missing: the app id, so nothing of Production is taken. It is the number under App Information in App Store
          Connect, «Apple ID»: \(add) --app-id NUMBER --environments Production
        """)
    }
    if app["key"] == nil {
      sentences.append(
        """
        Missing: a key, so cases are followed and nothing is sent to Apple. Make one of the kind In-App Purchase in
          App Store Connect: \(add) --key FILE --key-id ID --issuer ID
        """)
    }
    if app["products"]?.array?.isEmpty ?? true {
      sentences.append(
        """
        Missing: the two facts that Apple requires, whether purchases are delivered and whether a sample came before.
          Only you know them, and nothing here guesses. Where they are the same for every product:
          \(add) --delivered yes|no --sample yes|no
          Where they differ, name the products in the file, or have your back end send evidence. Without them requests
          are withheld as noFacts.
        """)
    }
    return sentences
  }
}

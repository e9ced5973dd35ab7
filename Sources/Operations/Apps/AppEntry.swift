import Cryptography
import JSON
import Service

/// One entry of `apps` as it stands in the settings, right or wrong.
struct AppEntry {
  let view: JSONView

  var bundleID: String? { view["bundleId"]?.string }
  var appID: Int64? { view["appAppleId"]?.int64 }
  var environments: [String] { view["environments"]?.elements?.compactMap(\.string) ?? [] }
  /// Ids of the products about which the two facts are declared.
  var products: [String] { view["products"]?.elements?.compactMap { $0["productId"]?.string } ?? [] }
  var hasBasis: Bool { view["consentBasis"] != nil }
  var keyID: String? { view["key"]?["id"]?.string }

  /// The apps of a file, in its order.
  static func all(of file: SettingsFile) -> [AppEntry] { (file.root["apps"]?.elements ?? []).map(AppEntry.init) }

  enum Key {
    case none
    case usable
    /// In a sentence; holds nothing of the key.
    case wrong(String)
  }

  /// Whether calls to Apple can be signed for this app.
  var key: Key {
    guard let object = view["key"] else { return .none }
    guard let file = object["file"]?.string else { return .wrong("no file is named") }
    do {
      _ = try ECDSAPrivateKey(pem: try Files.secret(file))
      return .usable
    } catch let error as FileError {
      return .wrong("cannot \(error.doing) its file: \(error.reason)")
    } catch { return .wrong("\(error)") }
  }
}

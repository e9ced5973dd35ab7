import AppStoreSimulator
import HTTPClient
import HTTPTypes
import JSON
import Service

/// Receiver and responder over a new log, with the settings that an operator begins with, and nothing to do.
final class IdleServices {
  static let bundleID = "com.example.app"
  static let keyID = "SIMULATOR1"
  static let issuerID = "5a3b1c00-0000-4000-8000-000000000001"

  /// Where notifications are posted to.
  let notifications: HTTPURL
  private let children: [Child]

  init(folder: String, identity: StoreIdentity, store: StandInStore) throws {
    let app: JSONObject = [
      "bundleId": .string(Self.bundleID), "appAppleId": 1_470_168_111, "environments": ["Production"],
      "key": ["id": .string(Self.keyID), "issuer": .string(Self.issuerID), "file": .string(identity.apiKeyPath)],
      "consentBasis": [
        "kind": "terms", "textVersion": "1", "effectiveFrom": "2020-01-01T00:00:00Z", "optOut": "by mail",
        "coversUnidentified": true,
      ],
      "products": [["productId": "*", "deliveryStatus": "DELIVERED", "sampleContentProvided": false]],
    ]
    let address = JSONValue.string(store.address)
    let settings: JSONObject = [
      "data": .string(folder + "/data"), "apps": .array([.object(app)]),
      "appStore": ["production": address, "sandbox": address, "authorities": .string(store.authoritiesPath)],
      "receiver": ["port": 0, "trustAnchors": [.string(identity.rootPath)]], "responder": ["port": 0],
    ]
    let path = folder + "/settings.json"
    try Files.write(JSONValue.object(settings).bytes(), to: path, mode: 0o600)
    var children: [Child] = []
    var addresses: [String] = []
    do {
      for name in ["refund-receiver", "refund-responder"] {
        let output = "\(folder)/\(name).out"
        children.append(try Child(name, ["--settings", path], output: output))
        addresses.append(try Self.addressOnceReady(name, output))
      }
      notifications = try HTTPURL(addresses[0])
    } catch {
      for child in children { child.kill() }
      throw error
    }
    self.children = children
  }

  func stop() { for child in children { child.kill() } }

  private static func addressOnceReady(_ name: String, _ output: String) throws(LoadError) -> String {
    let deadline = MonotonicClock.milliseconds() + 20_000
    while true {
      let text = String(decoding: (try? Files.read(output, bytesMax: 1 << 20)) ?? [], as: UTF8.self)
      let words = "\(name) ready: "
      if let line = text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1).first(where: {
        $0.hasPrefix(words)
      }
      ) {
        return String(line.dropFirst(words.count))
      }
      guard MonotonicClock.milliseconds() < deadline else {
        throw LoadError("\(name) is not ready within 20 s: \(text.suffix(300))")
      }
      Pause.milliseconds(10)
    }
  }
}

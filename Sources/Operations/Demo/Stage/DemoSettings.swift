import JSON
import Service

/// What the one settings file of the play says.
struct DemoSettings {
  static let bundleID = "com.example.coins"
  static let appAppleID: Int64 = 1_470_168_111
  static let environment = "Production"
  /// A second app, which the services are not set up for at first.
  static let forgottenBundleID = "com.example.gems"
  static let forgottenAppAppleID: Int64 = 1_470_168_222
  static let keyID = "SIMULATOR1"
  static let issuerID = "5a3b1c00-0000-4000-8000-000000000001"

  let folder: String
  /// Made over the finished settings; for a play that is to go wrong.
  let changing: (inout JSONObject) -> Void

  /// - Parameter clock: nil leaves the machine's own clock in force.
  func json(ports: ProgramSet.Ports, clock: DemoClock?) -> JSONValue {
    func port(_ port: UInt16) -> JSONValue { .number(JSONNumber(Int64(port))) }
    let store = JSONValue.string("http://127.0.0.1:\(ports.simulator)")
    var settings: JSONObject = [
      "data": .string("\(folder)/data"),
      "apps": [
        [
          "bundleId": .string(Self.bundleID), "appAppleId": .number(JSONNumber(Self.appAppleID)),
          "environments": [.string(Self.environment)],
          "key": [
            "id": .string(Self.keyID), "issuer": .string(Self.issuerID),
            "file": .string("\(folder)/simulator/api-key.p8"),
          ],
          "products": [["productId": "*", "deliveryStatus": "DELIVERED", "sampleContentProvided": false]],
        ]
      ],
      "appStore": ["production": store, "sandbox": store],
      "receiver": ["port": port(ports.receiver), "trustAnchors": [.string("\(folder)/simulator/root.pem")]],
      "responder": ["port": port(ports.responder), "tokenFile": .string("\(folder)/backend-token")],
      "simulator": [
        "port": port(ports.simulator), "dataFolder": .string("\(folder)/simulator"),
        "notificationURL": .string("http://127.0.0.1:\(ports.receiver)/v1/notifications"),
        "bundleId": .string(Self.bundleID), "appAppleId": .number(JSONNumber(Self.appAppleID)),
        "environment": .string(Self.environment), "furtherBundleIds": [.string(Self.forgottenBundleID)],
      ],
    ]
    settings["clock"] = clock?.json
    changing(&settings)
    return .object(settings)
  }
}

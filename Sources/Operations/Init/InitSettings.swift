import JSON

/// The settings that `init` writes: one file for both services, and for the simulator in a rehearsal.
struct InitSettings {
  private static let keyID = "SIMULATOR1"
  private static let issuerID = "5a3b1c00-0000-4000-8000-000000000001"

  let json: JSONValue

  /// - Parameter ports: of receiver, responder and simulator.
  init(_ statement: AppStatement, _ steps: InitSteps, ports: [Int64], isRehearsal: Bool) {
    func port(_ index: Int) -> JSONValue { .number(JSONNumber(ports[index])) }
    var app = statement.json
    var receiver: JSONObject = ["address": "127.0.0.1", "port": port(0)]
    let responder: JSONObject = ["address": "127.0.0.1", "port": port(1), "tokenFile": .string(steps.token)]
    var settings: JSONObject = ["data": .string(steps.data)]
    if isRehearsal {
      let products = app["products"]
      app["products"] = nil
      app["key"] = [
        "id": .string(Self.keyID), "issuer": .string(Self.issuerID), "file": .string("\(steps.simulator)/api-key.p8"),
      ]
      app["products"] = products
      receiver["trustAnchors"] = [.string("\(steps.simulator)/root.pem")]
    }
    settings["apps"] = [.object(app)]
    if isRehearsal {
      let store = JSONValue.string("http://127.0.0.1:\(ports[2])")
      settings["appStore"] = ["production": store, "sandbox": store]
    }
    settings["receiver"] = .object(receiver)
    settings["responder"] = .object(responder)
    if isRehearsal {
      var simulator: JSONObject = [
        "port": port(2), "dataFolder": .string(steps.simulator),
        "notificationURL": .string("http://127.0.0.1:\(ports[0])/v1/notifications"),
        "bundleId": .string(statement.bundleID ?? ""), "keyId": .string(Self.keyID), "issuerId": .string(Self.issuerID),
      ]
      simulator["appAppleId"] = statement.appID.map { .number(JSONNumber($0)) }
      settings["simulator"] = .object(simulator)
    }
    json = .object(settings)
  }
}

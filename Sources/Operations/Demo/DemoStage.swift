import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service

/// The three programs over one folder, running, and how to talk to them.
final class DemoStage {
  static let bundleID = "com.example.coins"
  static let product = "com.example.coins.1000"

  let folder: String
  private let token: String
  private let programs: ProgramSet
  private let client = HTTPClient()

  /// Starts simulator, receiver and responder, each once the one before is ready.
  init(programs: String) throws(CommandError) {
    var template = Array("/tmp/refundlog-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw CommandError(.unavailable, "no folder can be made in /tmp: \(String(cString: strerror(errno)))")
    }
    folder = String(cString: made)
    token = Hex.encode(SecureRandom.bytes(16))
    do throws(FileError) {
      try Files.write(Array(token.utf8), to: folder + "/backend-token", mode: 0o600)
    } catch { throw CommandError(.unavailable, error.description) }
    let folder = folder
    self.programs = try ProgramSet(in: folder, programs: programs) { Self.settings(folder: folder, ports: $0) }
  }

  var simulator: String { "http://127.0.0.1:\(programs.ports.simulator)" }
  var responder: String { "http://127.0.0.1:\(programs.ports.responder)" }
  var data: String { folder + "/data" }

  func stop() { programs.stop() }

  /// Removes the folder; for a play that ended well.
  func clear() throws(CommandError) {
    do throws(FileError) { try Files.removeFolder(folder) } catch { throw CommandError(.failure, error.description) }
  }

  /// A call to the simulator.
  func simulator(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws(CommandError) -> JSONValue {
    try call(method, simulator + path, body, fields: [:])
  }

  /// A call of the developer's back end to the responder.
  func backend(_ method: HTTPMethod, _ path: String, _ body: JSONValue) throws(CommandError) -> JSONValue {
    try call(method, responder + path, body, fields: ["Authorization": "Bearer \(token)"])
  }

  /// Waits until `find` gives something.
  func wait<Found>(for what: String, _ find: () throws(CommandError) -> Found?) throws(CommandError) -> Found {
    try programs.wait(for: what, find)
  }

  private func call(
    _ method: HTTPMethod, _ text: String, _ body: JSONValue?, fields: HTTPFields
  ) throws(CommandError) -> JSONValue {
    var fields = fields
    if body != nil { fields["Content-Type"] = "application/json" }
    let response: HTTPResponse
    do {
      response = try client.send(
        HTTPClientRequest(method, try HTTPURL(text), fields: fields, body: body?.bytes() ?? []))
    } catch { throw CommandError(.failure, "\(method) \(text): \(error)") }
    let reply = String(decoding: response.body.prefix(500), as: UTF8.self)
    guard (200..<300).contains(response.status) else {
      throw CommandError(.failure, "\(method) \(text) was answered \(response.status): \(reply)")
    }
    if response.body.isEmpty { return .null }
    do throws(JSONError) { return try JSONValue(bytes: response.body) } catch {
      throw CommandError(.failure, "\(method) \(text) was answered with what is no JSON: \(error)")
    }
  }

  /// One file for all three programs.
  private static func settings(folder: String, ports: ProgramSet.Ports) -> JSONValue {
    let key: JSONValue = [
      "id": "SIMULATOR1", "issuer": "5a3b1c00-0000-4000-8000-000000000001",
      "file": .string("\(folder)/simulator/api-key.p8"),
    ]
    let address = JSONValue.string("http://127.0.0.1:\(ports.simulator)")
    return [
      "data": .string("\(folder)/data"),
      "apps": [
        [
          "bundleId": .string(bundleID), "appAppleId": 1_470_168_111, "environments": ["Sandbox"], "key": key,
          "products": [
            ["productId": .string(product), "deliveryStatus": "DELIVERED", "sampleContentProvided": false]
          ],
        ]
      ],
      "appStore": ["production": address, "sandbox": address],
      "receiver": [
        "port": .number(JSONNumber(Int64(ports.receiver))), "trustAnchors": [.string("\(folder)/simulator/root.pem")],
      ],
      "responder": [
        "port": .number(JSONNumber(Int64(ports.responder))), "tokenFile": .string("\(folder)/backend-token"),
      ],
      "simulator": [
        "port": .number(JSONNumber(Int64(ports.simulator))), "dataFolder": .string("\(folder)/simulator"),
        "notificationURL": .string("http://127.0.0.1:\(ports.receiver)/v1/notifications"),
        "bundleId": .string(bundleID), "appAppleId": 1_470_168_111,
      ],
    ]
  }
}

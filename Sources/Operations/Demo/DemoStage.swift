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
  let settingsFile: String
  let simulator: String
  let responder: String
  private let token: String
  private var children: [ChildProcess] = []
  private let client = HTTPClient()

  /// Starts simulator, receiver and responder, each once the one before is ready.
  init(programs: String) throws(CommandError) {
    var template = Array("/tmp/refundlog-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw CommandError(.unavailable, "no folder can be made in /tmp: \(String(cString: strerror(errno)))")
    }
    folder = String(cString: made)
    settingsFile = folder + "/settings.json"
    token = Hex.encode(SecureRandom.bytes(16))
    let ports = try FreePort.several(3)
    simulator = "http://127.0.0.1:\(ports[0])"
    responder = "http://127.0.0.1:\(ports[2])"
    try write(Self.settings(folder: folder, ports: ports).bytes(), to: settingsFile)
    try write(Array(token.utf8), to: folder + "/backend-token")
    try start("appstore-simulator", programs, port: ports[0])
    try start("refund-receiver", programs, port: ports[1])
    try start("refund-responder", programs, port: ports[2])
  }

  var data: String { folder + "/data" }

  /// Stops the programs, last started first.
  func stop() {
    while let child = children.popLast() { child.stop() }
  }

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

  /// Waits until `find` gives something; the programs must be running meanwhile.
  func wait<Found>(for what: String, _ find: () throws(CommandError) -> Found?) throws(CommandError) -> Found {
    let deadline = MonotonicClock.milliseconds() + 20_000
    while MonotonicClock.milliseconds() < deadline {
      if let found = try find() { return found }
      if let gone = children.first(where: { !$0.isRunning }) {
        throw CommandError(.failure, "\(gone.name) ended by itself; see \(folder)/\(gone.name).log")
      }
      usleep(20_000)
    }
    throw CommandError(.failure, "\(what) did not come within 20 seconds; see the .log files in \(folder)")
  }

  private func start(_ name: String, _ programs: String, port: UInt16) throws(CommandError) {
    children.append(
      try ChildProcess(
        name, in: programs, arguments: ["--settings", settingsFile], output: "\(folder)/\(name).log"))
    let url = "http://127.0.0.1:\(port)/"
    _ = try wait(for: name) { () throws(CommandError) -> Bool? in
      // Any reply tells that it listens.
      (try? client.send(HTTPClientRequest(.get, HTTPURL(url)))) == nil ? nil : true
    }
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

  private func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
    do throws(FileError) { try Files.write(bytes, to: path, mode: 0o600) } catch {
      throw CommandError(.unavailable, error.description)
    }
  }

  /// One file for all three programs.
  private static func settings(folder: String, ports: [UInt16]) -> JSONValue {
    let key: JSONValue = [
      "id": "SIMULATOR1", "issuer": "5a3b1c00-0000-4000-8000-000000000001",
      "file": .string("\(folder)/simulator/api-key.p8"),
    ]
    let address = JSONValue.string("http://127.0.0.1:\(ports[0])")
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
        "port": .number(JSONNumber(Int64(ports[1]))), "trustAnchors": [.string("\(folder)/simulator/root.pem")],
      ],
      "responder": [
        "port": .number(JSONNumber(Int64(ports[2]))), "tokenFile": .string("\(folder)/backend-token"),
      ],
      "simulator": [
        "port": .number(JSONNumber(Int64(ports[0]))), "dataFolder": .string("\(folder)/simulator"),
        "notificationURL": .string("http://127.0.0.1:\(ports[1])/v1/notifications"),
        "bundleId": .string(bundleID), "appAppleId": 1_470_168_111,
      ],
    ]
  }
}

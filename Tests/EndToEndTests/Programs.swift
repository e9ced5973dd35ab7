import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// The built programs, and a folder with simulator, receiver and responder running over it.
final class Programs {
  /// Where the build put them: beside the test runner.
  static let folder: String = {
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    let runner = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(runner[..<(runner.lastIndex(of: "/") ?? runner.startIndex)])
  }()

  let data: String
  private let folder: String
  private let set: ProgramSet
  private let client = HTTPClient()

  /// Starts the three with settings of a test over the common ones.
  /// - Parameters:
  ///   - app: one entry of `apps`, without its key.
  ///   - trustsSimulator: the receiver takes what the simulator signs, and not what Apple does.
  ///   - simulator: further settings of the simulator.
  ///   - more: further top-level settings.
  init(
    in folder: String, app: JSONObject, trustsSimulator: Bool = false, simulator: JSONObject = [:],
    more: JSONObject = [:]
  ) throws {
    self.folder = folder
    data = folder + "/data"
    try Files.write(Array("0123456789abcdef".utf8), to: "\(folder)/token", mode: 0o600)
    set = try ProgramSet(in: folder, programs: Self.folder) { ports in
      var app = app
      app["key"] = [
        "id": "SIMULATOR1", "issuer": "5a3b1c00-0000-4000-8000-000000000001",
        "file": .string("\(folder)/simulator/api-key.p8"),
      ]
      func port(_ port: UInt16) -> JSONValue { .number(JSONNumber(Int64(port))) }
      var own: JSONObject = [
        "port": port(ports.simulator), "dataFolder": .string("\(folder)/simulator"),
        "notificationURL": .string("http://127.0.0.1:\(ports.receiver)/v1/notifications"),
        "bundleId": app["bundleId"]!,
      ]
      for member in simulator.members { own[member.key] = member.value }
      var receiver: JSONObject = ["port": port(ports.receiver)]
      if trustsSimulator { receiver["trustAnchors"] = [.string("\(folder)/simulator/root.pem")] }
      let store = JSONValue.string("http://127.0.0.1:\(ports.simulator)")
      var settings: JSONObject = [
        "data": .string(folder + "/data"), "apps": .array([.object(app)]),
        "appStore": ["production": store, "sandbox": store],
        "receiver": .object(receiver),
        "responder": [
          "port": port(ports.responder), "tokenFile": .string("\(folder)/token"), "pace": Installation.quick,
        ],
        "simulator": .object(own),
      ]
      for member in more.members { settings[member.key] = member.value }
      return .object(settings)
    }
  }

  func stop() { set.stop() }

  /// What a program printed.
  func lines(of name: String) -> String {
    String(decoding: Project.bytes("\(folder)/\(name).log") ?? [], as: UTF8.self)
  }

  func post(_ token: [UInt8]) throws -> Int {
    let body: JSONValue = ["signedPayload": .string(String(decoding: token, as: UTF8.self))]
    return try client.send(
      HTTPClientRequest(
        .post, HTTPURL("http://127.0.0.1:\(set.ports.receiver)/v1/notifications"),
        fields: ["Content-Type": "application/json"], body: body.bytes())
    ).status
  }

  func simulator(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
    let response = try client.send(
      HTTPClientRequest(method, HTTPURL("http://127.0.0.1:\(set.ports.simulator)\(path)"), body: body?.bytes() ?? []))
    try #require((200..<300).contains(response.status), "\(String(decoding: response.body, as: UTF8.self))")
    return response.body.isEmpty ? .null : try JSONValue(bytes: response.body)
  }

  /// What a case's page says, as `refundlog case --json` tells it.
  func page(_ purchase: String) throws -> JSONValue {
    let (code, output) = try run("\(Self.folder)/refundlog", ["case", purchase, "--data", data, "--json"])
    try #require(code == 0, "\(output)")
    return try JSONValue(bytes: Array(output.utf8))
  }

  /// The developer's back end tells what it knows of a purchase.
  func evidence(_ purchase: String, of bundleID: String, _ values: JSONValue) throws {
    let fields: HTTPFields = [
      "Authorization": "Bearer 0123456789abcdef", "Content-Type": "application/json",
      "Idempotency-Key": .init(purchase.split(separator: "/").last!),
    ]
    let body: JSONValue = [
      "bundleId": .string(bundleID), "statedAt": .number(JSONNumber(WallClock.system.now())), "values": values,
    ]
    let response = try client.send(
      HTTPClientRequest(
        .put, HTTPURL("http://127.0.0.1:\(set.ports.responder)/v1/evidence/\(purchase)"), fields: fields,
        body: body.bytes()))
    try #require(response.status == 201, "\(String(decoding: response.body, as: UTF8.self))")
  }

  /// The log, opened for reading beside the programs.
  func log() throws -> LocalEventLog { try LocalEventLog.reading(data) }

  /// Looks until it holds, or fails after so many seconds.
  func eventually(_ what: String, within seconds: Int64 = 20, _ holds: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + seconds * 1000
    while try !holds() {
      try #require(MonotonicClock.milliseconds() < deadline, "\(what): not within \(seconds) s")
      usleep(20_000)
    }
  }
}

/// Runs a program to its end.
/// - Returns: its exit code and what it printed, errors included.
func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
  let folder = TemporaryFolder()
  let command = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ")
  let status = system("\(command) >'\(folder.path)/out' 2>&1")
  return (status >> 8, String(decoding: Project.bytes("\(folder.path)/out") ?? [], as: UTF8.self))
}

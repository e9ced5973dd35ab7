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
  private let ports: [UInt16]
  private let folder: String
  private var running: [ChildProcess] = []
  private let client = HTTPClient()

  /// Starts the three with settings of a test over the common ones.
  /// - Parameters:
  ///   - app: one entry of `apps`, without its key.
  ///   - more: further top-level settings.
  init(in folder: String, app: JSONObject, receiver: JSONObject = [:], more: JSONObject = [:]) throws {
    self.folder = folder
    data = folder + "/data"
    ports = try FreePort.several(3)
    var app = app
    app["key"] = [
      "id": "SIMULATOR1", "issuer": "5a3b1c00-0000-4000-8000-000000000001",
      "file": .string("\(folder)/simulator/api-key.p8"),
    ]
    var receiver = receiver
    receiver["port"] = .number(JSONNumber(Int64(ports[1])))
    var settings: JSONObject = [
      "data": .string(data), "apps": .array([.object(app)]),
      "appStore": ["production": .string(url(0)), "sandbox": .string(url(0))],
      "receiver": .object(receiver),
      "responder": ["port": .number(JSONNumber(Int64(ports[2]))), "tokenFile": .string("\(folder)/token")],
      "simulator": [
        "port": .number(JSONNumber(Int64(ports[0]))), "dataFolder": .string("\(folder)/simulator"),
        "notificationURL": .string("\(url(1))/v1/notifications"), "bundleId": app["bundleId"]!,
      ],
    ]
    for member in more.members { settings[member.key] = member.value }
    try Files.write(JSONValue.object(settings).bytes(), to: "\(folder)/settings.json")
    try Files.write(Array("the back end's token".utf8), to: "\(folder)/token", mode: 0o600)
    for (name, port) in zip(["appstore-simulator", "refund-receiver", "refund-responder"], ports) {
      running.append(
        try ChildProcess(
          name, in: Self.folder, arguments: ["--settings", "\(folder)/settings.json"], output: "\(folder)/\(name).log"))
      try eventually("\(name) listens at \(port)") {
        (try? client.send(HTTPClientRequest(.get, HTTPURL("http://127.0.0.1:\(port)/")))) != nil
      }
    }
  }

  /// Stops all, last started first.
  func stop() {
    while let program = running.popLast() { program.stop() }
  }

  /// What a program printed.
  func lines(of name: String) -> String {
    String(decoding: Project.bytes("\(folder)/\(name).log") ?? [], as: UTF8.self)
  }

  func post(_ token: [UInt8]) throws -> Int {
    let body: JSONValue = ["signedPayload": .string(String(decoding: token, as: UTF8.self))]
    return try client.send(
      HTTPClientRequest(
        .post, HTTPURL(url(1) + "/v1/notifications"), fields: ["Content-Type": "application/json"], body: body.bytes())
    ).status
  }

  func simulator(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
    let response = try client.send(HTTPClientRequest(method, HTTPURL(url(0) + path), body: body?.bytes() ?? []))
    try #require((200..<300).contains(response.status), "\(String(decoding: response.body, as: UTF8.self))")
    return response.body.isEmpty ? .null : try JSONValue(bytes: response.body)
  }

  /// The log, opened for reading beside the programs.
  func log() throws -> LocalEventLog { try LocalEventLog.reading(data) }

  /// Looks until it holds, or fails after twenty seconds.
  func eventually(_ what: String, _ holds: () throws -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + 20_000
    while try !holds() {
      try #require(MonotonicClock.milliseconds() < deadline, "\(what): not within 20 s")
      usleep(20_000)
    }
  }

  private func url(_ index: Int) -> String { "http://127.0.0.1:\(ports[index])" }
}

/// Runs a program to its end.
/// - Returns: its exit code and what it printed, errors included.
func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
  let folder = TemporaryFolder()
  let command = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ")
  let status = system("\(command) >'\(folder.path)/out' 2>&1")
  return (status >> 8, String(decoding: Project.bytes("\(folder.path)/out") ?? [], as: UTF8.self))
}

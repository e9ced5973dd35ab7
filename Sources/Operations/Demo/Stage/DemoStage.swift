import Cryptography
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import JSON
import Responder
import Service

/// The three programs over one folder, running, and how to talk to them.
final class DemoStage {
  /// From a request to what follows, in a program that is not broken.
  static let patienceStandard: Int64 = 20_000

  let folder: String
  private(set) var clock: DemoClock
  let patienceMilliseconds: Int64
  let interruption: Interruption
  private let token: String
  private let programs: ProgramSet
  private let client = HTTPClient()
  private var reader: CaseReader?

  /// Starts simulator, receiver and responder in a new folder.
  /// - Parameter changing: made over the settings; for a play that is to go wrong.
  init(
    programs: String, clock: DemoClock, patienceMilliseconds: Int64 = DemoStage.patienceStandard,
    interruption: Interruption = Interruption(), changing: @escaping (inout JSONObject) -> Void = { _ in }
  ) throws(CommandError) {
    // Before anything is made.
    for name in ProgramSet.Name.allCases { try ChildProcess.find(name.rawValue, in: programs) }
    var template = Array("/tmp/refundlog-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw CommandError(.unavailable, "no folder can be made in /tmp: \(String(cString: strerror(errno)))")
    }
    folder = String(cString: made)
    self.clock = clock
    self.patienceMilliseconds = patienceMilliseconds
    self.interruption = interruption
    token = Hex.encode(SecureRandom.bytes(16))
    let settings = DemoSettings(folder: folder, changing: changing)
    do throws(FileError) {
      try Files.write(Array(token.utf8), to: folder + "/backend-token", mode: 0o600)
    } catch { throw CommandError(.unavailable, error.description) }
    do throws(CommandError) {
      self.programs = try ProgramSet(in: folder, programs: programs, interruption: interruption) {
        settings.json(ports: $0, clock: clock)
      }
    } catch { throw CommandError(error.code, "\(error)\nWhat the programs printed is in \(String(cString: made))") }
  }

  var simulator: String { "http://127.0.0.1:\(programs.ports.simulator)" }
  var responder: String { "http://127.0.0.1:\(programs.ports.responder)" }
  var data: String { folder + "/data" }
  var settingsFile: String { folder + "/settings.json" }

  // MARK: Programs

  func stop() { programs.stop() }

  /// Ends a program in the middle of what it does.
  func kill(_ name: ProgramSet.Name) { programs.kill(name) }

  /// Starts a program that was ended; returns when it is ready.
  func start(_ name: ProgramSet.Name) throws(CommandError) { try programs.start(name) }

  /// Stops all three, and starts them over the same folder with another clock.
  func restart(_ clock: DemoClock) throws(CommandError) {
    self.clock = clock
    reader = nil
    try restart(setting: clock)
  }

  /// Stops all three, and starts them with the machine's own clock; where the play's has run ahead of that, with one that
  /// goes on from there.
  func restartInRealTime() throws(CommandError) {
    let now = clock.now
    guard now <= WallClock.system.now() else { return try restart(DemoClock(showing: now, speed: 1)) }
    reader = nil
    clock = DemoClock(showing: WallClock.system.now(), speed: 1)
    try restart(setting: nil)
  }

  /// Everything else in the settings stays as it is there, whoever has changed it meanwhile.
  private func restart(setting clock: DemoClock?) throws(CommandError) {
    let file = settingsFile
    let bytes: [UInt8]
    do throws(FileError) { bytes = try Files.read(file, bytesMax: 1 << 20) } catch {
      throw CommandError(.failure, error.description)
    }
    guard var settings = (try? JSONValue(bytes: bytes))?.object else {
      throw CommandError(.failure, "\(file) holds no JSON object any more")
    }
    settings["clock"] = clock?.json
    try programs.restart { _ in .object(settings) }
  }

  /// Removes the folder; for a play that ended well.
  func clear() throws(CommandError) {
    do throws(FileError) { try Files.removeFolder(folder) } catch { throw CommandError(.failure, error.description) }
  }

  // MARK: Calls

  /// A call to the simulator that must succeed.
  @discardableResult
  func simulator(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws(CommandError) -> JSONValue {
    try call(method, "\(simulator)/simulator/v1/\(path)", body, fields: [:])
  }

  /// A call of the developer's back end to the responder.
  func backend(_ method: HTTPMethod, _ path: String, _ body: JSONValue) throws(CommandError) {
    _ = try call(method, responder + path, body, fields: ["Authorization": "Bearer \(token)"])
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

  /// A command of the operator, such as `apps add`.
  /// - Returns: what it printed.
  @discardableResult
  func operate<Operation: Command>(_ command: Operation.Type, _ words: [String]) throws(CommandError) -> String {
    var printed = ""
    let surroundings = RefundlogProgram.Surroundings(
      print: { printed += $0 }, complain: { printed += $0 }, variables: [:], programs: "")
    try Operation(surroundings, words + ["--settings", settingsFile]).run()
    return printed
  }

  /// What a program printed so far.
  func printed(by name: ProgramSet.Name) -> String {
    let bytes = try? Files.read("\(folder)/\(name.rawValue).log", bytesMax: 64 << 20)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }

  // MARK: Looking

  /// Looks until `find` gives something.
  /// - Returns: nil when patience is over.
  func look<Found>(
    forMilliseconds milliseconds: Int64? = nil, _ find: () throws(CommandError) -> Found?
  ) throws(CommandError) -> Found? {
    try programs.look(forMilliseconds: milliseconds ?? patienceMilliseconds, find)
  }

  /// The cases, as the programs' clock has them.
  func cases() throws(CommandError) -> CaseReader {
    if let reader { return reader }
    let opened = try look { () throws(CommandError) -> CaseReader? in
      do throws(CaseReaderError) { return try CaseReader(folder: data, clock: clock.clock) } catch {
        // The responder puts the file there when it is whole, a moment after its start.
        if case .absent = error { return nil }
        throw CommandError(.unavailable, error.description)
      }
    }
    guard let opened else { throw CommandError(.unavailable, "the responder makes no projection in \(data)") }
    reader = opened
    return opened
  }

  /// Events of one stream, oldest first.
  func events(of stream: String) throws(CommandError) -> [RecordedEvent] {
    let log = try LocalEventLog.reading(data)
    do throws(LogReadError) {
      return try log.read(stream: StreamName(stream), after: 0, limit: 500)
    } catch { throw CommandError(error) }
  }
}

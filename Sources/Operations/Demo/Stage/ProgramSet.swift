import Glibc
import HTTPTypes
import JSON
import Service

/// Simulator, receiver and responder over one folder, each on a port of its own.
final class ProgramSet {
  /// The ports they listen at, of 127.0.0.1.
  struct Ports {
    var simulator: UInt16
    var receiver: UInt16
    var responder: UInt16
  }

  /// What the set is made of.
  enum Name: String, CaseIterable {
    /// First: it makes the keys that the others read.
    case simulator = "appstore-simulator"
    case receiver = "refund-receiver"
    case responder = "refund-responder"
  }

  /// Somebody else may take a port between its choice and its use.
  private static let triesMax = 5
  private static let startMilliseconds: Int64 = 20_000

  private(set) var ports = Ports(simulator: 0, receiver: 0, responder: 0)
  private let folder: String
  private let programs: String
  private let interruption: Interruption
  private var running: [ChildProcess] = []

  /// Returns when all three are ready.
  /// - Parameters:
  ///   - folder: takes `settings.json` and what each program prints.
  ///   - interruption: ends every wait.
  ///   - settings: the one file for all, given the ports.
  init(
    in folder: String, programs: String, interruption: Interruption = Interruption(), settings: (Ports) -> JSONValue
  ) throws(CommandError) {
    self.folder = folder
    self.programs = programs
    self.interruption = interruption
    for attempt in 1... {
      let free = try FreePort.several(3)
      ports = Ports(simulator: free[0], receiver: free[1], responder: free[2])
      do throws(CommandError) {
        try write(settings(ports))
        try startAll()
        return
      } catch {
        if error.code != .unavailable || attempt == Self.triesMax { throw error }
      }
    }
    preconditionFailure("the loop returns or throws")
  }

  deinit { stop() }

  /// Stops the programs.
  func stop() {
    for child in running { child.askToStop() }
    while let child = running.popLast() { child.stop() }
  }

  /// Stops all, and starts them again at the same ports with other settings.
  func restart(settings: (Ports) -> JSONValue) throws(CommandError) {
    stop()
    try write(settings(ports))
    try startAll()
  }

  /// Ends one with SIGKILL.
  func kill(_ name: Name) {
    guard let index = running.firstIndex(where: { $0.name == name.rawValue }) else { return }
    running.remove(at: index).kill()
  }

  /// Starts one that is not running; returns when it is ready.
  func start(_ name: Name) throws(CommandError) {
    try launch(name)
    try waitUntilReady()
  }

  /// Looks until `find` gives something; the programs must be running meanwhile.
  /// - Returns: nil when the time is over.
  func look<Found>(
    forMilliseconds milliseconds: Int64, _ find: () throws(CommandError) -> Found?
  ) throws(CommandError) -> Found? {
    let deadline = MonotonicClock.milliseconds() + milliseconds
    while true {
      if interruption.isRaised { throw CommandError(.failure, "stopped while it waited") }
      if let found = try find() { return found }
      if let gone = running.first(where: { !$0.isRunning }) {
        throw CommandError(gone.exitCode ?? .failure, "\(gone.name) ended by itself: \(gone.lastLine)")
      }
      if MonotonicClock.milliseconds() >= deadline { return nil }
      usleep(10_000)
    }
  }

  private func write(_ settings: JSONValue) throws(CommandError) {
    do throws(FileError) {
      try Files.write(settings.bytes(), to: folder + "/settings.json", mode: 0o600)
    } catch { throw CommandError(.failure, error.description) }
  }

  private func startAll() throws(CommandError) {
    do throws(CommandError) {
      try start(.simulator)
      try launch(.receiver)
      try launch(.responder)
      try waitUntilReady()
    } catch {
      stop()
      throw error
    }
  }

  private func launch(_ name: Name) throws(CommandError) {
    running.append(
      try ChildProcess(
        name.rawValue, in: programs, arguments: ["--settings", folder + "/settings.json"],
        output: "\(folder)/\(name.rawValue).log"))
  }

  private func waitUntilReady() throws(CommandError) {
    let ready = try look(forMilliseconds: Self.startMilliseconds) { running.allSatisfy(\.isReady) ? true : nil }
    if ready == nil {
      let late = running.filter { !$0.isReady }.map(\.name).joined(separator: " and ")
      throw CommandError(
        .failure, "\(late): not ready within \(Self.startMilliseconds / 1000) seconds; see the .log files in \(folder)")
    }
  }
}

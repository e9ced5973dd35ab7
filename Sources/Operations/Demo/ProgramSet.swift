import Glibc
import HTTPTypes
import JSON
import Service

/// Simulator, receiver and responder over one folder, each on a port of its own, started in that order.
final class ProgramSet {
  /// The ports they listen at, of 127.0.0.1.
  struct Ports {
    var simulator: UInt16
    var receiver: UInt16
    var responder: UInt16
  }

  private static let names = ["appstore-simulator", "refund-receiver", "refund-responder"]
  /// Somebody else may take a port between its choice and its use.
  private static let triesMax = 5

  let ports: Ports
  private let folder: String
  private var running: [ChildProcess]

  /// Returns when all three are ready.
  /// - Parameters:
  ///   - folder: takes `settings.json` and what each program prints.
  ///   - settings: the one file for all, given the ports.
  init(in folder: String, programs: String, settings: (Ports) -> JSONValue) throws(CommandError) {
    self.folder = folder
    for attempt in 1... {
      let free = try FreePort.several(3)
      let ports = Ports(simulator: free[0], receiver: free[1], responder: free[2])
      do throws(FileError) {
        try Files.write(settings(ports).bytes(), to: folder + "/settings.json", mode: 0o600)
      } catch { throw CommandError(.unavailable, error.description) }
      do throws(CommandError) {
        running = try Self.start(in: folder, programs: programs)
        self.ports = ports
        return
      } catch {
        if error.code != .unavailable || attempt == Self.triesMax { throw error }
      }
    }
    preconditionFailure("the loop returns or throws")
  }

  deinit { stop() }

  /// Stops the programs, last started first.
  func stop() {
    while let child = running.popLast() { child.stop() }
  }

  /// Waits until `find` gives something; the programs must be running meanwhile.
  func wait<Found>(for what: String, _ find: () throws(CommandError) -> Found?) throws(CommandError) -> Found {
    try Self.wait(for: what, in: folder, whileRunning: running, find)
  }

  private static func start(in folder: String, programs: String) throws(CommandError) -> [ChildProcess] {
    var running: [ChildProcess] = []
    do throws(CommandError) {
      for name in names {
        let child = try ChildProcess(
          name, in: programs, arguments: ["--settings", folder + "/settings.json"], output: "\(folder)/\(name).log")
        running.append(child)
        _ = try wait(for: "\(name) ready", in: folder, whileRunning: running) { child.isReady ? true : nil }
      }
    } catch {
      while let child = running.popLast() { child.stop() }
      throw error
    }
    return running
  }

  private static func wait<Found>(
    for what: String, in folder: String, whileRunning running: [ChildProcess],
    _ find: () throws(CommandError) -> Found?
  ) throws(CommandError) -> Found {
    let deadline = MonotonicClock.milliseconds() + 20_000
    while MonotonicClock.milliseconds() < deadline {
      if let found = try find() { return found }
      if let gone = running.first(where: { !$0.isRunning }) {
        throw CommandError(
          gone.exitCode ?? .failure, "\(gone.name) ended by itself; see \(folder)/\(gone.name).log")
      }
      usleep(20_000)
    }
    throw CommandError(.failure, "\(what): not within 20 seconds; see the .log files in \(folder)")
  }
}

import Glibc
import Service

@testable import Operations

/// A program of ours that is started, killed, and started again.
final class KillableProgram {
  let name: String
  /// What it prints, of all its lives.
  let output: String
  private let settings: String
  private let programs: String
  private var process: ChildProcess?
  /// Lives that ended before anybody ended them, each with its exit code.
  private(set) var endedByItself: [String] = []

  /// - Parameter programs: folder that holds it.
  init(_ name: String, settings: String, output: String, in programs: String = Programs.folder) {
    self.name = name
    self.programs = programs
    self.settings = settings
    self.output = output
  }

  /// Starts it; whether it comes up is not waited for.
  func start() throws {
    process = try ChildProcess(name, in: programs, arguments: ["--settings", settings], output: output)
  }

  /// Starts it and waits until it is ready, twenty seconds at most.
  func startAndWait() throws {
    try start()
    let deadline = MonotonicClock.milliseconds() + 20_000
    while process?.isReady != true {
      guard process?.isRunning == true else { throw CommandError(.failure, "\(name) ended by itself; see \(output)") }
      guard MonotonicClock.milliseconds() < deadline else {
        throw CommandError(.failure, "\(name) is not ready within 20 s; see \(output)")
      }
      usleep(10_000)
    }
  }

  /// SIGKILL, and returns when it is gone.
  /// - Returns: whether it was running until then.
  @discardableResult
  func kill() -> Bool {
    guard let process else { return false }
    guard process.isRunning else {
      endedByItself.append("\(name): \(process.exitCode.map { "\($0)" } ?? "a signal")")
      return false
    }
    Glibc.kill(process.id, SIGKILL)
    while process.isRunning { usleep(500) }
    self.process = nil
    return true
  }

  /// SIGTERM, and returns when it has ended.
  func stop() {
    process?.stop()
    process = nil
  }

  /// SIGTERM, and does not wait.
  func askToStop() { process?.askToStop() }

  /// Whether it is there.
  var isRunning: Bool { process?.isRunning ?? false }

  /// Of the running process.
  var id: pid_t? { process?.id }
}

import Glibc
import JSON
import Service
import TestSupport
import Testing

@testable import Operations

/// Processes of the program `log-load` that work on one log at once. They begin together.
final class LoadProcesses {
  let folder: String
  private let barrier: String
  private var processes: [ChildProcess] = []

  /// - Parameter folder: of the log; what the processes print lies beside it.
  init(in folder: String) throws {
    self.folder = folder + "/log"
    barrier = folder + "/barrier"
    try Files.makeFolder(self.folder)
    try Files.makeFolder(barrier)
  }

  deinit { for process in processes { process.kill() } }

  /// Starts one; it waits for the others.
  func start(_ role: String, _ label: String, _ words: [String: String] = [:], switches: [String] = []) throws {
    let words = ["folder": folder, "label": label, "barrier": barrier].merging(words) { $1 }
    processes.append(
      try ChildProcess(
        "log-load", in: Programs.folder,
        arguments: [role] + words.flatMap { ["--\($0.key)", $0.value] } + switches.map { "--\($0)" },
        output: "\(barrier)-\(label).out"))
    try wait("\(label) is not ready") { access("\(barrier)/\(label)", F_OK) == 0 || !processes.last!.isRunning }
  }

  /// Lets all begin.
  func go() throws { try Files.write([], to: barrier + "/go") }

  /// Waits until all have ended, and gives what each found out, in the order of their start.
  func results(withinSeconds seconds: Int64 = 60) throws -> [JSONValue] {
    let results = try processes.map { process in
      try wait("log-load does not end: \(process.lastLine)", seconds: seconds) { !process.isRunning }
      try #require(process.exitCode == .success, "\(process.lastLine)")
      return try JSONValue(bytes: Array(process.lastLine.utf8))
    }
    processes = []
    unlink(barrier + "/go")
    return results
  }

  private func wait(_ what: String, seconds: Int64 = 30, _ holds: () -> Bool) throws {
    let deadline = MonotonicClock.milliseconds() + seconds * 1_000
    while !holds() {
      try #require(MonotonicClock.milliseconds() < deadline, "\(what)")
      usleep(5_000)
    }
  }
}

extension JSONValue {
  /// A member that is a number.
  func count(_ key: String) throws -> Int64 { try #require(self[key]?.int64, "\(key) in \(text())") }
}

import Glibc
import Service

/// A program of ours, started for the demo and ended with it.
final class ChildProcess {
  let name: String
  let id: pid_t
  private let output: String
  /// Where it begins to print: the file may hold what an earlier one printed.
  private let outputStart: Int
  private var status: Int32?

  /// - Parameters:
  ///   - output: file that takes what it prints, errors included.
  init(_ name: String, in programs: String, arguments: [String], output: String) throws(CommandError) {
    self.name = name
    self.output = output
    outputStart = Self.text(output).utf8.count
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o640)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let words: [UnsafeMutablePointer<CChar>?] = (["\(programs)/\(name)"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let code = posix_spawn(&id, words[0]!, &actions, nil, words, environ)
    guard code == 0 else { throw Self.cannotStart(name, in: programs, code) }
    self.id = id
  }

  /// - Throws: where there is no such program.
  static func find(_ name: String, in programs: String) throws(CommandError) {
    guard access("\(programs)/\(name)", X_OK) == 0 else { throw cannotStart(name, in: programs, errno) }
  }

  private static func cannotStart(_ name: String, in programs: String, _ code: Int32) -> CommandError {
    let reason = String(cString: strerror(code))
    return CommandError(
      .failure, "\(programs)/\(name) cannot be started: \(reason); build all programs first (swift build)")
  }

  deinit { stop() }

  /// Whether it still runs.
  var isRunning: Bool {
    if status != nil { return false }
    var status: Int32 = 0
    if waitpid(id, &status, WNOHANG) == id { self.status = status }
    return self.status == nil
  }

  /// What it ended with; nil while it runs, or where a signal ended it.
  var exitCode: ExitCode? { status.flatMap { $0 & 0x7F == 0 ? ExitCode(rawValue: $0 >> 8) : nil } }

  /// Whether it has said that it is ready.
  var isReady: Bool { Self.text(output).utf8.dropFirst(outputStart).firstRange(of: "\(name) ready:".utf8) != nil }

  /// The last line it printed; empty where there is none.
  var lastLine: String {
    let lines = Self.text(output).utf8.dropFirst(outputStart).split(separator: UInt8(ascii: "\n"))
    return lines.last.map { String(decoding: Array($0), as: UTF8.self) } ?? ""
  }

  private static func text(_ path: String) -> String {
    // Absent before the first line.
    String(decoding: (try? Files.read(path, bytesMax: 64 << 20)) ?? [], as: UTF8.self)
  }

  /// Asks it to end; returns at once.
  func askToStop() { if isRunning { Glibc.kill(id, SIGTERM) } }

  /// Asks it to end, and ends it where it does not within ten seconds.
  func stop() {
    askToStop()
    let deadline = MonotonicClock.milliseconds() + 10_000
    while isRunning {
      if MonotonicClock.milliseconds() > deadline { Glibc.kill(id, SIGKILL) }
      usleep(5_000)
    }
  }

  /// Ends it in the middle of whatever it does (SIGKILL).
  func kill() {
    if isRunning { Glibc.kill(id, SIGKILL) }
    while isRunning { usleep(1_000) }
  }
}

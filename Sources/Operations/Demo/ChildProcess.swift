import Glibc
import Service

/// A program of ours, started for the demo and ended with it.
final class ChildProcess {
  let name: String
  private let id: pid_t
  private var ended = false

  /// - Parameters:
  ///   - output: file that takes what it prints, errors included.
  init(_ name: String, in programs: String, arguments: [String], output: String) throws(CommandError) {
    self.name = name
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
    guard code == 0 else {
      throw CommandError(.unavailable, "\(programs)/\(name) cannot be started: \(String(cString: strerror(code)))")
    }
    self.id = id
  }

  deinit { stop() }

  /// Whether it still runs.
  var isRunning: Bool {
    if ended { return false }
    var status: Int32 = 0
    ended = waitpid(id, &status, WNOHANG) == id
    return !ended
  }

  /// Asks it to end, and ends it where it does not within ten seconds.
  func stop() {
    guard isRunning else { return }
    kill(id, SIGTERM)
    let deadline = MonotonicClock.milliseconds() + 10_000
    while isRunning {
      if MonotonicClock.milliseconds() > deadline { kill(id, SIGKILL) }
      usleep(10_000)
    }
  }
}

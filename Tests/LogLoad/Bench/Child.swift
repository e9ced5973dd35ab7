import Glibc
import JSON
import Service

/// A program that the bench starts; its last line is one JSON object.
final class Child {
  struct Ended {
    var code: Int32
    var result: JSONValue?
    var seconds: Double
  }

  private let id: pid_t
  private let output: String
  private let began = MonotonicClock.nanoseconds()

  /// The folder that this program lies in.
  static let folder: String = {
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    let own = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
  }()

  /// - Parameter program: one that lies beside this one, or a path.
  init(_ program: String, _ arguments: [String], output: String) throws(LoadError) {
    self.output = output
    let path = program.contains("/") ? program : "\(Self.folder)/\(program)"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let code = posix_spawn(&id, words[0]!, &actions, nil, words, environ)
    guard code == 0 else { throw LoadError("\(path) cannot be started: error \(code)") }
    self.id = id
  }

  /// Waits until it has ended.
  func end() -> Ended {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
    let text = (try? Files.read(output, bytesMax: 1 << 20)) ?? []
    let line = text.split(separator: UInt8(ascii: "\n")).last.map(Array.init) ?? []
    return Ended(
      code: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F), result: try? JSONValue(bytes: line),
      seconds: seconds)
  }

  /// Ends it, and waits until it has.
  func kill() {
    Glibc.kill(id, SIGKILL)
    _ = end()
  }

  /// The same, for programs that must succeed.
  func result() throws(LoadError) -> JSONValue {
    let ended = end()
    guard ended.code == 0, let result = ended.result else {
      let text = String(decoding: (try? Files.read(output, bytesMax: 1 << 20)) ?? [], as: UTF8.self)
      throw LoadError("a program ended with \(ended.code): \(text.suffix(300))")
    }
    return result
  }
}

import Glibc
import Service

/// Where a command's words go: out to whoever called, or to whoever reads what went wrong.
public enum StandardStream: Sendable {
  case output, errors

  /// Writes all of it. Where nobody reads any more, the process ends by SIGPIPE, as other tools do; where standard output
  /// takes no more for another reason, it ends with a sentence.
  public func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        let code = errno
        if code == EINTR { continue }
        if code == EPIPE { Self.endByPipe() }
        // Nobody can be told of this one, and what was begun is better ended.
        if self == .errors { return }
        Self.errors.write("refundlog: standard output cannot be written: \(String(cString: strerror(code)))\n")
        exit(ExitCode.unavailable.rawValue)
      }
      bytes = bytes.dropFirst(written)
    }
  }

  private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

  private static func endByPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    // Blocked by whoever started this.
    exit(ExitCode.failure.rawValue)
  }
}

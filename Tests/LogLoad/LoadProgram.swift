import Glibc
import JSON
import Service

/// The program `log-load`: one role of a test that needs several processes, or the measurements of `make bench`.
/// What came of it is one line of JSON, the last one printed.
enum LoadProgram {
  static let help = """
    log-load write --folder DIR [--log ours|naive] [--label NAME] [--threads N] [--count N | --seconds S]
                   [--pause-us N] [--contended] [--barrier DIR]
    log-load read  --folder DIR [--log ours|naive] [--label NAME] [--until POSITION] [--patience-ms N]
                   [--no-inotify] [--barrier DIR]
    log-load gate  --folder DIR [--label NAME] [--every-ms N] [--seconds S] [--checkpoint] [--barrier DIR]
    log-load bench [--folder DIR] [--events N] [--seconds S] [--json FILE] [--only PART,PART]
                   [--python PYTHON]

    The parts of bench are append, news, answer, mix and cases. answer compares with httpx where there is a Python that
    can import httpx and cryptography: the one of --python, or of the variable REFUNDLOG_PYTHON, else python3.
    """

  static func run(_ words: [String]) -> Int32 {
    guard let role = words.first else { return fail(help) }
    do {
      let arguments = try Arguments(
        Array(words.dropFirst()),
        flags: [
          "folder", "log", "label", "threads", "count", "seconds", "pause-us", "until", "patience-ms", "every-ms",
          "barrier", "events", "json", "only", "python",
        ], switches: ["contended", "no-inotify", "checkpoint"])
      let options = LoadOptions(arguments)
      let result: JSONObject
      switch role {
      case "write": result = try WriteRole(options).run()
      case "read": result = try ReadRole(options).run()
      case "gate": result = try GateRole(options).run()
      case "bench": return try BenchRole(options).run() ? 0 : 1
      default: return fail(help)
      }
      write(JSONValue.object(result).text() + "\n", to: 1)
      return 0
    } catch { return fail("log-load \(role): \(error)") }
  }

  private static func fail(_ words: String) -> Int32 {
    write(words + "\n", to: 2)
    return 1
  }

  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}

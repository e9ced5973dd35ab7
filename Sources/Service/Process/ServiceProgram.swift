import Glibc

/// The course of a service's program: arguments, settings, start, «ready», wait, stop.
public enum ServiceProgram {
  /// A service that was started and can be stopped.
  public protocol Running {
    /// What is printed once it is ready, for instance the address it listens at.
    var ready: String { get }
    /// Ends in order: takes nothing more, finishes what is under way.
    func stop()
  }

  /// Runs a service until the process is told to stop.
  /// - Parameters:
  ///   - about: what `--help` says first.
  ///   - flags: further flags that take a value, each with the key it sets; they go over file and variables.
  ///   - read: makes the settings; called again without a file for the list of keys.
  ///   - start: builds the parts and starts them.
  /// - Returns: the code to end with; everything has been said on standard error.
  public static func run<Settings>(
    name: String, about: String, arguments: [String], flags: KeyValuePairs<String, String> = [:],
    read: (SettingsReader) -> Settings, start: (Settings) throws(StartError) -> any Running
  ) -> ExitCode {
    ProcessSignals.hold()
    // Data of customers is for the service's own user and group.
    umask(0o027)
    var variables = ProcessEnvironment.variables()
    do {
      let arguments = try Arguments(arguments, flags: ["settings"] + flags.map(\.key), switches: ["help"])
      if arguments.has("help") {
        say(1, help(name, about, flags, SettingsReader.keys(read)))
        return .success
      }
      if let word = arguments.words.first { throw Arguments.Fault("\(word) is not understood here") }
      for (flag, key) in flags {
        if let value = arguments[flag] { variables[SettingKey.variable(for: key)] = value }
      }
      let file = arguments["settings"] ?? variables["REFUNDLOG_SETTINGS"]
      let settings = try SettingsReader.load(
        file: file, environment: variables, warn: { say(2, "\(name): \($0)\n") }, read)
      let running = try start(settings)
      say(2, "\(name) ready: \(running.ready)\n")
      Readiness.announce(to: variables["NOTIFY_SOCKET"])
      ProcessSignals.waitForStop()
      running.stop()
      return .success
    } catch let fault as Arguments.Fault {
      say(2, "\(name): \(fault)\nTry \(name) --help\n")
      return .usage
    } catch let error as SettingsError {
      say(2, "\(name): nothing was started, the settings are not right:\n\(error)\n")
      return .settings
    } catch let error as StartError {
      say(2, "\(name): \(error)\n")
      return error.code
    } catch { preconditionFailure("only the three errors above are thrown: \(error)") }
  }

  private static func help(
    _ name: String, _ about: String, _ flags: KeyValuePairs<String, String>, _ keys: [SettingKey]
  ) -> String {
    let further =
      flags.isEmpty ? "" : "\n\nFlags for single keys:\n" + flags.map { "  --\($0)  \($1)" }.joined(separator: "\n")
    var text = """
      \(about)

      Usage: \(name) [--settings FILE] [--help]\(further)

      Settings are one JSON object in FILE (or in the file that REFUNDLOG_SETTINGS names); a variable of the
      environment goes over the file. The variable of a key is REFUNDLOG_ and the key in capitals, with _ for each
      dot and before each run of capitals: log.format is REFUNDLOG_LOG_FORMAT. A list's variable holds the list as JSON.

      Ends with 0 when told to stop, 64 for an unknown argument, 78 for wrong settings, 69 where the log or an address
      cannot be had, 65 where the log is damaged.

      Keys:

      """
    for key in keys {
      text +=
        "  \(key.path)  (\(key.kind); \(key.standard.map { "default \($0)" } ?? "must be given"))\n      \(key.meaning)\n"
    }
    return text
  }

  private static func say(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}

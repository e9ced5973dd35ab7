import Glibc

/// The course of a service's program: arguments, settings, start, «ready», wait, stop.
public enum ServiceProgram {
  /// A service that was started and can be stopped.
  public protocol Running<Settings> {
    associatedtype Settings
    /// What is printed once it is ready, for instance the address it listens at.
    var ready: String { get }
    /// Takes settings that were read anew, on the program's main thread. What cannot be changed while it runs (an
    /// address, the data folder) it warns about and leaves as it is.
    func reload(_ settings: Settings)
    /// Ends in order: takes nothing more, finishes what is under way.
    func stop()
  }

  /// Runs a service until the process is told to stop. Settings that change meanwhile, in their file or in a file that
  /// they name, are handed to it within a second, and at once on SIGHUP.
  /// - Parameters:
  ///   - about: what `--help` says first.
  ///   - flags: further flags that take a value, each with the key it sets; they go over file and variables.
  ///   - read: makes the settings; called again without a file for the list of keys.
  ///   - start: builds the parts and starts them.
  /// - Returns: the code to end with; everything has been said on standard error.
  public static func run<Service: Running>(
    name: String, about: String, arguments: [String], flags: KeyValuePairs<String, String> = [:],
    read: @escaping (SettingsReader) -> Service.Settings, start: (Service.Settings) throws(StartError) -> Service
  ) -> ExitCode {
    StandardStreams.fill()
    ProcessSignals.hold()
    // Data of customers is for the service's own user and group.
    umask(0o027)
    var variables = ProcessEnvironment.variables()
    do {
      let arguments = try Arguments(arguments, flags: ["settings"] + flags.map(\.key), switches: ["help", "version"])
      if arguments.has("help") {
        say(1, help(name, about, flags, SettingsReader.keys(read)))
        return .success
      }
      if arguments.has("version") {
        say(1, "\(name) \(Release.version)\n")
        return .success
      }
      if let word = arguments.words.first { throw Arguments.Fault("\(word) is not understood here") }
      for (flag, key) in flags {
        if let value = arguments[flag] { variables[SettingKey.variable(for: key)] = value }
      }
      var source = SettingsSource(
        file: arguments["settings"] ?? variables["REFUNDLOG_SETTINGS"] ?? settingsBeside(), environment: variables,
        warn: { say(2, "\(name): \($0)\n") }, read: read)
      let running = try start(try source.load())
      say(2, "\(name) ready: \(running.ready)\n")
      Readiness.announce(to: variables["NOTIFY_SOCKET"])
      ProcessSignals.waitForStop(
        hangUp: { reload(name, &source, running) },
        eachSecond: { if source.hasChanged { reload(name, &source, running) } })
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

  /// The file that `refundlog init` writes, where one stands in the working folder.
  private static func settingsBeside() -> String? {
    access("refundlog.json", F_OK) == 0 ? "refundlog.json" : nil
  }

  /// Wrong settings never reach a running service.
  private static func reload<Service: Running>(
    _ name: String, _ source: inout SettingsSource<Service.Settings>, _ running: Service
  ) {
    do throws(SettingsError) {
      running.reload(try source.load())
      say(2, "\(name): settings read again\n")
    } catch { say(2, "\(name): the changed settings are not right, those before stay in force:\n\(error)\n") }
  }

  private static func help(
    _ name: String, _ about: String, _ flags: KeyValuePairs<String, String>, _ keys: [SettingKey]
  ) -> String {
    let further =
      flags.isEmpty ? "" : "\n\nFlags for single keys:\n" + flags.map { "  --\($0)  \($1)" }.joined(separator: "\n")
    var text = """
      \(about)

      Usage: \(name) [--settings FILE] [--help] [--version]\(further)

      Settings are one JSON object in FILE (or in the file that REFUNDLOG_SETTINGS names, or in ./refundlog.json); a variable of the
      environment goes over the file. A change of FILE, or of a file that it names, is taken without a restart, except for
      addresses, ports, threads and folders. The variable of a key is REFUNDLOG_ and the key in capitals, with _ for each
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

import AppStoreSimulator
import Glibc
import JSON
import Receiver
import Responder
import Service

/// The one settings file, as an operator finds it.
struct SettingsFile {
  /// Beside the working folder, where nothing else is named; `init` writes it there.
  static let standard = "refundlog.json"
  static let bytesMax = 4 << 20

  /// As it was named.
  let path: String
  /// As it was when it was read.
  let print: FilePrint?
  let bytes: [UInt8]
  let root: JSONView

  /// - Throws: where the file cannot be read or is no JSON object; whether it is right is for `check`.
  init(_ path: String) throws(CommandError) {
    self.path = path
    print = FilePrint(path)
    do throws(FileError) { bytes = try Files.read(path, bytesMax: Self.bytesMax) } catch {
      throw CommandError(.settings, error.description)
    }
    do throws(JSONError) { root = try JSONDocument(bytes: bytes).root } catch {
      throw CommandError(.settings, "\(path), \(error)")
    }
    guard root.kind == .object else { throw CommandError(.settings, "\(path): settings are one JSON object") }
  }

  /// The file that flags, variables or the working folder name; nil where none does.
  static func path(_ arguments: Arguments, _ surroundings: RefundlogProgram.Surroundings) -> String? {
    if let named = arguments["settings"] ?? surroundings.variables["REFUNDLOG_SETTINGS"] { return named }
    return access(standard, F_OK) == 0 ? standard : nil
  }

  /// The file, which must be there.
  static func read(
    _ arguments: Arguments, _ surroundings: RefundlogProgram.Surroundings
  ) throws(CommandError) -> SettingsFile {
    guard let path = path(arguments, surroundings) else {
      throw CommandError(
        .settings,
        "no settings file is named: --settings FILE or REFUNDLOG_SETTINGS; refundlog init writes one")
    }
    return try SettingsFile(path)
  }

  /// The data folder a command works on.
  static func dataFolder(
    _ arguments: Arguments, _ surroundings: RefundlogProgram.Surroundings
  ) throws(CommandError) -> String {
    if let named = arguments["data"] ?? surroundings.variables["REFUNDLOG_DATA"] { return named }
    guard let path = path(arguments, surroundings) else { return "data" }
    return try SettingsFile(path).root["data"]?.string ?? "data"
  }

  /// The clock that the services follow: settings may set another one for rehearsals.
  static func clock(
    _ arguments: Arguments, _ surroundings: RefundlogProgram.Surroundings
  ) throws(CommandError) -> WallClock {
    guard let path = path(arguments, surroundings), try SettingsFile(path).root["clock"] != nil else {
      return surroundings.clock
    }
    do throws(SettingsError) {
      return try SettingsReader.load(file: path, environment: surroundings.variables, ReceiverSettings.init).clock
    } catch { throw CommandError(.settings, error.description) }
  }

  /// A variable that holds the apps goes over the file, so that a change of the file would change nothing.
  static func refuseVariable(_ surroundings: RefundlogProgram.Surroundings) throws(CommandError) {
    guard surroundings.variables["REFUNDLOG_APPS"] != nil else { return }
    throw CommandError(
      .settings, "REFUNDLOG_APPS is set and goes over the file: change the apps there, or unset it and use the file")
  }

  /// What the services say of a file: every fault, each once. Empty where all of them would start with it.
  /// - Parameter name: what the file is called in the sentences.
  static func faults(of path: String, named name: String, variables: [String: String]) -> [String] {
    var faults: [String] = []
    func read<Settings>(_ make: (SettingsReader) -> Settings) {
      do throws(SettingsError) { _ = try SettingsReader.load(file: path, environment: variables, make) } catch {
        faults += error.faults.map { $0.replacing(path, with: name) }.filter { !faults.contains($0) }
      }
    }
    read(ReceiverSettings.init)
    read(ResponderSettings.init)
    read(SimulatorSettings.init)
    return faults
  }
}

import AppStoreSimulator
import Receiver
import Responder
import Service

/// Every key of the one settings file, from the same lines that the programs read them with.
enum SettingsKeys {
  /// One key, and the programs that read it.
  struct Entry {
    var key: SettingKey
    var programs: [String]

    /// The variable that goes over the file; members of a list have none of their own.
    var variable: String? { key.path.contains("[]") ? nil : SettingKey.variable(for: key.path) }
    var standard: String { key.standard ?? "must be given" }
  }

  /// In the order in which the programs read them; a key that several read stands once, with what it means to the first.
  static func all() -> [Entry] {
    let programs: [(String, [SettingKey])] = [
      ("refund-receiver", SettingsReader.keys(ReceiverSettings.init)),
      ("refund-responder", SettingsReader.keys(ResponderSettings.init)),
      ("appstore-simulator", SettingsReader.keys(SimulatorSettings.init)),
    ]
    var entries: [Entry] = []
    for (program, keys) in programs {
      // A key that only a later program knows belongs beside the keys that stand before it there.
      var place = 0
      for key in keys {
        if let known = entries.firstIndex(where: { $0.key.path == key.path }) {
          if entries[known].programs.last != program { entries[known].programs.append(program) }
          place = known + 1
        } else {
          if !key.path.hasPrefix("apps[]") { place = entries.count }
          entries.insert(Entry(key: key, programs: [program]), at: place)
          place += 1
        }
      }
    }
    return entries
  }
}

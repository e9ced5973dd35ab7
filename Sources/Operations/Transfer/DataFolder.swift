import Glibc
import Service

/// What lies beside the log in a data folder.
enum DataFolder {
  /// State of the services: backed up and restored with the log, and never made again from it.
  static let states = ["receiver-state.sqlite", "responder-state.sqlite"]

  /// Removes what was made of a log and is made again from it. Locks stay: who removed one would let two hold it.
  static func removeProjections(_ folder: String) {
    for name in (try? Files.names(in: folder)) ?? [] where name.hasPrefix("cases-v") {
      let isLock = name.hasSuffix(".writer") || name.hasSuffix(".builder")
      if !isLock { unlink("\(folder)/\(name)") }
    }
  }
}

import Glibc

/// What lies beside the log in a data folder.
enum DataFolder {
  /// State of the services: backed up and restored with the log, and never made again from it.
  static let states = ["receiver-state.sqlite", "responder-state.sqlite"]

  /// Removes what was made of a log and is made again from it. Locks stay: who removed one would let two hold it.
  static func removeProjections(_ folder: String) {
    guard let open = opendir(folder) else { return }
    defer { closedir(open) }
    var found: [String] = []
    while let entry = readdir(open) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      let isLock = name.hasSuffix(".writer") || name.hasSuffix(".builder")
      if name.hasPrefix("cases-v"), !isLock { found.append(name) }
    }
    for name in found { unlink("\(folder)/\(name)") }
  }
}

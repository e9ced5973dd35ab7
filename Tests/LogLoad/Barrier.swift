import Glibc
import Service

/// Lets the processes of a test begin together: each lays down a file with its name and waits for the one called `go`.
struct Barrier: Sendable {
  private let options: LoadOptions

  init(_ options: LoadOptions) { self.options = options }

  func pass() throws(LoadError) {
    guard let folder = options.arguments["barrier"] else { return }
    let own = open("\(folder)/\(options.label)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard own >= 0 else { throw LoadError("\(folder) cannot be written") }
    close(own)
    for _ in 0..<60_000 {
      if access("\(folder)/go", F_OK) == 0 { return }
      usleep(1_000)
    }
    throw LoadError("\(folder)/go did not appear within a minute")
  }

  /// Waits until all labels are there, then lets them begin.
  static func release(_ barrier: String, _ labels: [String]) throws {
    for _ in 0..<30_000 {
      if labels.allSatisfy({ access("\(barrier)/\($0)", F_OK) == 0 }) {
        return try Files.write([], to: barrier + "/go")
      }
      usleep(1_000)
    }
    throw LoadError("the programs did not begin within 30 s")
  }
}

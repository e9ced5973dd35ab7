import Glibc
import Service
import TestSupport

@testable import Operations

/// The services of an earlier commit, built once and kept in `.build/earlier/<commit>`.
enum EarlierBuild {
  /// The newest commit before the log's promises were tested: log format 1, events version 1.
  static let commit = "b31a3bf1534f7ea8233f5f4c38e9c850b211a1b0"

  /// Builds them where they are not there yet, which takes minutes.
  /// - Returns: the folder of the programs.
  static func programs() throws -> String {
    let home = "\(Project.root)/.build/earlier/\(commit.prefix(12))"
    let programs = "\(home)/.build/debug"
    let names = ["refund-receiver", "refund-responder"]
    if names.allSatisfy({ access("\(programs)/\($0)", X_OK) == 0 }) { return programs }
    let known = try run("git", ["-C", Project.root, "cat-file", "-e", "\(commit)^{commit}"])
    guard known.code == 0 else {
      throw CommandError(
        .unavailable,
        "commit \(commit.prefix(12)) is not in this clone, and the upgrade is tested from it: git fetch --unshallow")
    }
    let unpacked = try run(
      "sh", ["-c", "mkdir -p \(home) && git -C \(Project.root) archive \(commit) | tar -x -C \(home)"])
    guard unpacked.code == 0 else { throw CommandError(.failure, "the earlier tree: \(unpacked.output)") }
    for name in names {
      let built = try run("swift", ["build", "--package-path", home, "--product", name])
      guard built.code == 0 else { throw CommandError(.failure, "\(name) as it was: \(built.output.suffix(2_000))") }
    }
    return programs
  }
}

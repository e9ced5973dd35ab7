import Cryptography
import Glibc
import Service
import TestSupport

@testable import Operations

/// The C library of Tests/Faults in front of our programs: stand-ins for them in a folder of their own, each of which
/// starts the real one with the library loaded. Nothing else in this process is touched.
struct PreloadedLibrary {
  /// Where the stand-ins are.
  let programs: String

  /// - Parameters:
  ///   - folder: of the test; the stand-ins go into it.
  ///   - data: the folder whose files are watched.
  ///   - recording: file that takes what happens to them.
  ///   - control: file with the rules of what fails.
  ///   - withoutSyncedCommits: the programs use `synchronous=NORMAL`.
  init(
    in folder: String, watching data: String, recording: String? = nil, control: String? = nil,
    withoutSyncedCommits: Bool = false
  ) throws {
    programs = folder + "/programs"
    try Files.makeFolder(programs)
    var variables = ["FAULTS_FOLDER='\(data)'", "LD_PRELOAD='\(try Self.compiled.get())'"]
    if let recording { variables.append("FAULTS_RECORDING='\(recording)'") }
    if let control { variables.append("FAULTS_CONTROL='\(control)'") }
    if withoutSyncedCommits { variables.append("FAULTS_SYNCHRONOUS=NORMAL") }
    for name in ["refund-receiver", "refund-responder", "refundlog"] {
      let script = "#!/bin/sh\nexec env \(variables.joined(separator: " ")) '\(Programs.folder)/\(name)' \"$@\"\n"
      try Files.write(Array(script.utf8), to: "\(programs)/\(name)", mode: 0o700)
    }
  }

  /// The library, compiled anew where its text has changed; it lies beside the programs.
  private static let compiled = Result { try compile() }

  private static func compile() throws -> String {
    let source = Project.root + "/Tests/Faults"
    let files = ["calls.c", "injection.c", "recording.c"].map { "\(source)/\($0)" }
    var text: [UInt8] = []
    for file in files + ["\(source)/faults.h"] { text += try Files.read(file, bytesMax: 1 << 20) }
    let library = "\(Programs.folder)/faults-\(SHA256.digest(of: text).hex.prefix(16)).so"
    if access(library, R_OK) == 0 { return library }
    let draft = "\(library).\(getpid())"
    let compiler = ["clang", "cc"].first { (try? run("/bin/sh", ["-c", "command -v \($0)"]).code) == 0 } ?? "cc"
    let (code, output) = try run(
      "/usr/bin/env",
      [compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", draft] + files
        + ["-ldl", "-lpthread"])
    guard code == 0, rename(draft, library) == 0 else {
      throw CommandError(.failure, "Tests/Faults cannot be compiled: \(output)")
    }
    return library
  }
}

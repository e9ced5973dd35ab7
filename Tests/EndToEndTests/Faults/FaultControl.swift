import Glibc
import Service

/// Rules for what fails in programs that have the library of Tests/Faults loaded; they take effect at once.
///
/// `@unchecked Sendable`: the words are shared with other processes anyway; the test writes a rule's action last.
final class FaultControl: @unchecked Sendable {
  struct Call: OptionSet {
    let rawValue: Int64
    static let write = Call(rawValue: 1)
    static let sync = Call(rawValue: 2)
    static let truncate = Call(rawValue: 4)
    static let open = Call(rawValue: 8)
  }

  /// What a file is by its name.
  struct File: OptionSet {
    let rawValue: Int64
    static let log = File(rawValue: 1)
    static let logWAL = File(rawValue: 2)
    static let logSharedMemory = File(rawValue: 4)
    static let bell = File(rawValue: 8)
    static let state = File(rawValue: 16)
    static let stateWAL = File(rawValue: 32)
    static let projection = File(rawValue: 64)
  }

  enum Action {
    /// The call returns −1 and does nothing.
    case fail(errno: Int32)
    /// The process kills itself, SIGKILL.
    case dieBefore, dieAfter
  }

  private static let rules = 8
  private static let wordsOfRule = 7
  /// In bytes; a page is what is mapped in any case.
  private static let size = 4_096

  let path: String
  private let words: UnsafeMutablePointer<Int64>

  init(in folder: String) throws {
    path = folder + "/faults"
    try Files.write([UInt8](repeating: 0, count: Self.size), to: path)
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0, let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      memory != MAP_FAILED
    else { throw FileError(path: path, doing: "map") }
    close(file)
    words = memory.assumingMemoryBound(to: Int64.self)
  }

  deinit { munmap(words, Self.size) }

  /// - Parameters:
  ///   - skip: how many such calls pass first.
  ///   - times: how many are met then; nil means all until `clear`.
  func set(_ action: Action, _ calls: Call, of files: File, skip: Int = 0, times: Int? = nil, rule: Int = 0) {
    precondition(rule < Self.rules, "as many rules as the library knows")
    let rule = words + rule * Self.wordsOfRule
    rule[0] = 0
    (rule[1], rule[2]) = (calls.rawValue, files.rawValue)
    (rule[4], rule[5], rule[6]) = (Int64(skip), Int64(times ?? -1), 0)
    switch action {
    case .fail(let error): (rule[3], rule[0]) = (Int64(error), 1)
    case .dieBefore: (rule[3], rule[0]) = (0, 2)
    case .dieAfter: (rule[3], rule[0]) = (0, 3)
    }
  }

  /// Nothing fails from now on.
  func clear() { for rule in 0..<Self.rules { words[rule * Self.wordsOfRule] = 0 } }

  /// How many calls met the rule since it was set.
  func hits(rule: Int = 0) -> Int64 { words[rule * Self.wordsOfRule + 6] }

  /// Syncs that failed, in all processes.
  var failedSyncs: Int64 { words[Self.rules * Self.wordsOfRule] }
  /// Syncs that succeeded through a descriptor through which one had failed: a program that believes such a sync
  /// believes in data that is on no disk.
  var trustedAgain: Int64 { words[Self.rules * Self.wordsOfRule + 1] }
}

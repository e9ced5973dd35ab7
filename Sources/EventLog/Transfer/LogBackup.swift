import Cryptography
import Glibc
import JSON
public import Service

/// A consistent copy of a data folder beside running services: the log, and the state that cannot be made again.
public struct LogBackup {
  /// What a backup holds.
  public struct Result: Sendable, Equatable {
    public var log: LogIdentity.ID
    /// How far the copy goes.
    public var place: LogPlace
    /// When it was begun, milliseconds since 1970, UTC; what is appended later need not be in it.
    public var startedAt: Int64
    /// Bytes by name of the file.
    public var files: [String: Int64]
  }

  static let manifest = "backup.json"
  private static let log = "events.sqlite"
  private static let form: Int64 = 1

  private let folder: String
  private let states: [String]

  /// - Parameters:
  ///   - folder: of the log.
  ///   - states: names of databases beside it that are backed up with it; one that is absent is left out.
  public init(of folder: String, states: [String]) {
    self.folder = folder
    self.states = states
  }

  /// Makes a folder with all of it and a manifest. It gets its name when everything is on disk, and not before.
  public func make(_ target: String, clock: WallClock) throws(TransferError) -> Result {
    try look(at: target)
    let draft = target + ".part"
    let lock = try makeDraft(draft)
    defer { withExtendedLifetime(lock) {} }
    do throws(TransferError) {
      var result = Result(
        log: "", place: LogPlace(position: .start, chain: []), startedAt: clock.now(), files: [:])
      // The states first: what leaves one of them for the log meanwhile is in both copies then, and never in none.
      for name in states where access("\(folder)/\(name)", F_OK) == 0 {
        try copyState(name, to: draft)
        result.files[name] = Files.size("\(draft)/\(name)")
      }
      (result.log, result.place) = try copyLog(to: draft)
      result.files[Self.log] = Files.size("\(draft)/\(Self.log)")
      try TransferError.file { () throws(FileError) in
        try Files.write(Self.text(result), to: "\(draft)/\(Self.manifest)", mode: LogCopy.mode)
        try Files.sync(draft)
        if access(target, F_OK) == 0 { throw FileError(path: target, doing: "write", reason: "it is there by now") }
        try Files.move(draft, to: target)
      }
      return result
    } catch {
      try? Files.removeFolder(draft)
      throw error
    }
  }

  /// Makes one file of the log alone.
  public func makeFile(_ target: String, clock: WallClock) throws(TransferError) -> Result {
    try look(at: target)
    let startedAt = clock.now()
    let draft = target + ".part"
    let lock = try makeDraft(draft)
    defer {
      try? Files.removeFolder(draft)
      withExtendedLifetime(lock) {}
    }
    let (id, place) = try copyLog(to: draft)
    let copy = "\(draft)/\(Self.log)"
    let size = Files.size(copy) ?? 0
    let isFree = try TransferError.file { () throws(FileError) in try Files.moveIfFree(copy, to: target) }
    guard isFree else { throw .occupied(path: target) }
    return Result(log: id, place: place, startedAt: startedAt, files: [Self.log: size])
  }

  /// Copies the log into a folder and proves the copy: one that no restore takes would be found out when it is needed.
  private func copyLog(to draft: String) throws(TransferError) -> (log: LogIdentity.ID, LogPlace) {
    let found = try LogCopy.copyLog(in: folder, to: "\(draft)/\(Self.log)")
    do throws(LogVerifier.Failure) { _ = try LogVerifier(folder: draft).verify() } catch {
      throw .unwhole(folder: folder, error)
    }
    return found
  }

  private func copyState(_ name: String, to draft: String) throws(TransferError) {
    do throws(TransferError) { try LogCopy.copy("\(folder)/\(name)", to: "\(draft)/\(name)") } catch {
      // The log is another file, and may be whole.
      guard case .log(.damaged(let path, let damage)) = error else { throw error }
      throw .damagedState(path: path, "\(damage)")
    }
  }

  /// Whether a backup may be made there.
  private func look(at target: String) throws(TransferError) {
    if Files.isThere(target) { throw .occupied(path: target) }
    // Folders above it are not made: a disk that is not mounted looks like a folder that is not there.
    let parent = Files.parent(of: target)
    guard Files.isFolder(parent), let place = Files.realPath(parent) else { throw .noPlace(folder: parent) }
    guard let data = Files.realPath(folder) else { return }
    if place == data || place.hasPrefix(data + "/") { throw .insideData(path: target, folder: folder) }
  }

  /// A draft's folder, locked: what a killed backup left is removed, what another one is writing is not touched, nor
  /// what is anybody else's.
  private func makeDraft(_ path: String) throws(TransferError) -> FolderLock {
    if access(path, F_OK) == 0 {
      let lock = try Self.lock(path)
      defer { withExtendedLifetime(lock) {} }
      guard isOurs(path) else { throw .occupied(path: path) }
      try TransferError.file { () throws(FileError) in try Files.removeFolder(path) }
    }
    guard mkdir(path, 0o700) == 0 else { throw .file(FileError(path: path, doing: "make the folder")) }
    do throws(TransferError) { return try Self.lock(path) } catch {
      rmdir(path)
      throw error
    }
  }

  private static func lock(_ path: String) throws(TransferError) -> FolderLock {
    do throws(FileError) { return try FolderLock(path) } catch {
      throw FolderLock.isHeldByOthers(error) ? .beingMade(path: path) : .file(error)
    }
  }

  /// Whether a folder holds nothing but what a backup writes.
  private func isOurs(_ path: String) -> Bool {
    // `Files.write` makes the manifest beside its place.
    var ours: Set<String> = [Self.manifest + ".new"]
    for name in states + ["events.sqlite", Self.manifest] {
      for end in ["", "-journal", "-wal", "-shm"] { ours.insert(name + end) }
    }
    guard let names = try? Files.names(in: path) else { return false }
    return ours.isSuperset(of: names)
  }

  // MARK: The manifest

  private static func text(_ result: Result) -> [UInt8] {
    func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
    var files = JSONObject()
    for (name, bytes) in result.files.sorted(by: { $0.key < $1.key }) { files[name] = number(bytes) }
    let value: JSONValue = [
      "refundlog": "backup", "form": number(form), "log": .string(result.log),
      "startedAt": number(result.startedAt), "position": number(result.place.position.value),
      "chain": .string(Hex.encode(result.place.chain)), "files": .object(files),
    ]
    return value.bytes() + [UInt8(ascii: "\n")]
  }

  /// Compares the files of a backup's folder with what its manifest says of them, before any of them is read.
  static func compare(_ folder: String, with manifest: Result, names: [String]) throws(TransferError) {
    for name in names {
      let (told, found) = (manifest.files[name], Files.size("\(folder)/\(name)"))
      if told == found { continue }
      let what =
        switch (told, found) {
        case (let told?, let found?): "\(name) has \(found) bytes, the manifest says \(told)"
        case (_?, nil): "\(name) is missing"
        default: "\(name) is there, and the manifest does not name it"
        }
      throw .otherBackup(path: folder, why: what)
    }
  }

  /// What the manifest of a backup's folder says.
  /// - Throws: where it is absent or not readable.
  static func read(_ folder: String) throws(TransferError) -> Result {
    let path = "\(folder)/\(manifest)"
    let bytes = try TransferError.file { () throws(FileError) in try Files.read(path, bytesMax: 65_536) }
    guard let value = try? JSONValue(bytes: bytes), value["refundlog"] == "backup", let found = value["form"]?.int64
    else { throw .otherBackup(path: folder, why: "\(manifest) cannot be read") }
    if found > form { throw .newer("\(path) is of form \(found), this release reads \(form)") }
    guard let log = value["log"]?.string, let startedAt = value["startedAt"]?.int64,
      let position = value["position"]?.int64, let chain = value["chain"]?.string.flatMap({ Hex.decode($0) }),
      let files = value["files"]?.object
    else { throw .otherBackup(path: folder, why: "\(manifest) cannot be read") }
    return Result(
      log: log, place: LogPlace(position: Position(position), chain: chain), startedAt: startedAt,
      files: Dictionary(
        files.members.compactMap { member in member.value.int64.map { (member.key, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }
}

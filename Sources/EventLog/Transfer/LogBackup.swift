import Glibc
public import Service

/// A consistent copy of a data folder beside running services: the log, and the state that cannot be made again.
public struct LogBackup {
  private static let log = "events.sqlite"

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
  public func make(_ target: String, clock: WallClock) throws(TransferError) -> BackupManifest {
    try look(at: target)
    let draft = target + ".part"
    let lock = try makeDraft(draft)
    defer { withExtendedLifetime(lock) {} }
    do throws(TransferError) {
      var result = BackupManifest(
        log: "", place: LogPlace(position: .start, chain: []), startedAt: clock.now(), files: [:])
      // The states first: what leaves one of them for the log meanwhile is in both copies then, and never in none.
      for name in states where access("\(folder)/\(name)", F_OK) == 0 {
        try copyState(name, to: draft)
        result.files[name] = Files.size("\(draft)/\(name)")
      }
      (result.log, result.place) = try copyLog(to: draft)
      result.files[Self.log] = Files.size("\(draft)/\(Self.log)")
      try TransferError.file { () throws(FileError) in
        try Files.write(result.text, to: "\(draft)/\(BackupManifest.name)", mode: LogCopy.mode)
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
  public func makeFile(_ target: String, clock: WallClock) throws(TransferError) -> BackupManifest {
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
    return BackupManifest(log: id, place: place, startedAt: startedAt, files: [Self.log: size])
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
    var ours: Set<String> = [BackupManifest.name + ".new"]
    for name in states + [Self.log, BackupManifest.name] {
      for end in ["", "-journal", "-wal", "-shm"] { ours.insert(name + end) }
    }
    guard let names = try? Files.names(in: path) else { return false }
    return ours.isSuperset(of: names)
  }
}

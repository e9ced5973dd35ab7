import Glibc
import SQLite
import Service

/// Puts a backup in the place of a log that is gone, or beside one elsewhere.
///
/// The copy is proved whole before it takes its place, and holds LogRestored as its newest event then: no reader and no
/// service ever sees it without. The bell, which remembers how far the lost log went, goes.
public struct LogRestore {
  public struct Result: Sendable, Equatable {
    /// Which log was restored, and how far it went, without the event that tells of it.
    public var log: LogIdentity.ID
    public var place: LogPlace
    /// When the backup was made, milliseconds since 1970, UTC: of a copy without manifest, its newest event.
    public var backupAt: Int64
    /// Position of LogRestored.
    public var restored: Position
    /// Whether a manifest said which files belong together, and all of them were those.
    public var hadManifest: Bool
    /// State files that were put into the folder, and those that were left as they are there.
    public var states: [String]
    public var kept: [String]
  }

  private let backup: String
  private let states: [String]

  /// - Parameters:
  ///   - backup: a folder that `LogBackup` made, one with a log in it, or a copy of `events.sqlite` alone.
  ///   - states: names of databases that are restored with the log where the backup has them and the folder has not.
  public init(_ backup: String, states: [String]) {
    self.backup = backup
    self.states = states
  }

  /// - Parameters:
  ///   - folder: without a log; made where it is absent.
  ///   - event: makes LogRestored of the place that the backup ends at and its instant.
  ///   - discard: removes what was made of the log that stood there, before this one takes its place.
  public func run(
    into folder: String, parts: LogParts, event: (LogPlace, _ backupAt: Int64) -> EventDraft, discard: () -> Void
  ) throws(TransferError) -> Result {
    let source = Files.isFolder(backup) ? "\(backup)/events.sqlite" : backup
    let manifest = try BackupManifest(of: backup)
    // Where there is a manifest, it says what is missing.
    guard manifest != nil || access(source, F_OK) == 0 else {
      throw errno == ENOENT ? .noBackup(path: backup) : .file(FileError(path: source, doing: "open"))
    }
    try manifest?.compare(backup, states: states)
    let staging = try LogStaging(into: folder, isEmpty: true)
    defer { staging.discard() }
    let found = try copy(source, into: staging)
    let (log, place, newest) = try prove(staging.files.folder, from: source)
    try manifest?.compare(backup, log: log, place)
    let backupAt = manifest?.startedAt ?? newest
    let restored = try Self.append(event(place, backupAt), to: staging.files.folder, parts: parts)
    try staging.settle()
    var result = Result(
      log: log, place: place, backupAt: backupAt, restored: restored, hadManifest: manifest != nil, states: [], kept: []
    )
    for name in found {
      // What is there is newer than the backup: parked notifications that nobody has elsewhere, tokens taken back.
      if access("\(folder)/\(name)", F_OK) == 0 {
        result.kept.append(name)
      } else {
        try staging.move(name)
        result.states.append(name)
      }
    }
    discard()
    try staging.moveLog()
    return result
  }

  /// - Returns: names of the state files that came along.
  private func copy(_ source: String, into staging: LogStaging) throws(TransferError) -> [String] {
    // Through SQLite: a data folder that was copied as it lay may have its newest events in a write-ahead log.
    do throws(TransferError) { try LogCopy.copy(source, to: staging.files.events) } catch {
      guard case .log(.damaged(_, let damage)) = error else { throw error }
      throw .unusable(path: source, "\(damage)")
    }
    guard Files.isFolder(backup) else { return [] }
    let found = states.filter { access("\(backup)/\($0)", F_OK) == 0 }
    for name in found {
      let path = "\(backup)/\(name)"
      do throws(TransferError) { try LogCopy.copy(path, to: "\(staging.files.folder)/\(name)") } catch {
        guard case .log(.damaged(_, let damage)) = error else { throw error }
        throw .unusableState(path: path, "\(damage)")
      }
    }
    return found
  }

  private func prove(
    _ folder: String, from source: String
  ) throws(TransferError) -> (log: LogIdentity.ID, LogPlace, newest: Int64) {
    let proof: LogVerifier.Proof
    do throws(LogVerifier.Failure) { proof = try LogVerifier(folder: folder).verify() } catch {
      // The copy of it that was proved goes again: what is told of is the backup.
      switch error {
      case .open(.absent), .open(.notALog): throw .unusable(path: source, "it holds no log")
      case .damage(let damage): throw .unusable(path: source, "it is damaged at \(damage)")
      default: throw .damaged(error)
      }
    }
    let newest = try TransferError.sqlite { () throws(SQLiteError) -> Int64? in
      let sqlite = try SQLiteConnection(path: LogFiles(folder: folder).events, mode: .readOnly)
      return try sqlite.row(
        "SELECT coalesce((SELECT recorded_at FROM events ORDER BY position DESC LIMIT 1), created_at) FROM log"
      ) { $0.integer(0) }
    }
    return (proof.log, LogPlace(position: proof.head, chain: proof.chain), newest ?? 0)
  }

  private static func append(
    _ event: EventDraft, to folder: String, parts: LogParts
  ) throws(TransferError) -> Position {
    let log: LocalEventLog
    do throws(LogOpenError) { log = try LocalEventLog(folder: folder, access: .readWrite, parts: parts) } catch {
      throw .log(error)
    }
    defer { log.close() }
    do throws(AppendError) {
      guard case .recorded(let recordings) = try log.append([event]), case .appended(let position) = recordings[0]
      else {
        throw AppendError.notWritten("an event with this id is in the backup")
      }
      return position
    } catch { throw .failed("\(error)") }
  }
}

import EventLog
import SQLite
import Service

/// The projection of one responder: opened where it stands, made where it is absent, damaged, of another log or far
/// behind, and opened anew where another has taken its place. For the thread that follows the log.
///
/// Two locks, taken in this order by everyone, and neither ever waited for: who writes a version's file, then who leads.
/// So a responder of another version keeps its own file warm while one of this version leads, and two of the same
/// version never write one file.
final class Projection {
  /// A projection so many events behind, and behind more than half of the log, is sooner made anew than followed.
  private static let farBehind: Int64 = 100_000

  private let log: any EventLog
  private let files: ProjectionFiles
  private let listener: Projector.Listener
  private let writer: FileLock
  private let builder: FileLock
  private var opened: (projector: Projector, place: FileIdentity)?

  /// - Throws: where its locks cannot be opened for writing.
  init(folder: String, log: any EventLog, listener: Projector.Listener) throws(FileError) {
    self.log = log
    self.listener = listener
    files = ProjectionFiles(folder: folder)
    writer = try FileLock(files.writerLock)
    builder = try FileLock(files.builderLock)
  }

  /// Takes the right to write where nobody else has it; without it nothing else here is to be called.
  func holdsWriter() -> Bool {
    if writer.hold() { return true }
    opened = nil
    return false
  }

  /// Why nobody can be asked for the right to write: the folder, or the lock in it, cannot be reached.
  var fault: FileError? { writer.fault }

  /// Leaves the file, and the right to write it, to whoever takes it.
  func release() {
    opened = nil
    writer.release()
  }

  enum Opened {
    case ready(Projector, isNew: Bool)
    /// Somebody else is making it; it is there when that one is done.
    case madeElsewhere
    case stopped
  }

  /// The projection at its place, made first where it must be; that may take long.
  /// - Parameter making: told before it begins, and how it goes on.
  func open(
    until stopping: () -> Bool, making: (RebuildProgress) -> Void
  ) throws(ProjectionError) -> Opened {
    // A second round where it was made, a third where it was found to be of no use before.
    for _ in 0..<3 {
      if let opened, opened.place == files.current { return .ready(opened.projector, isNew: false) }
      opened = nil
      if let found = try standing() {
        opened = found
        return .ready(found.projector, isNew: true)
      }
      guard builder.hold() else { return .madeElsewhere }
      defer { builder.release() }
      let head: Position
      do throws(LogReadError) { head = try log.head().position } catch { throw .log(error) }
      making(RebuildProgress(phase: .listing, done: 0, total: 1, head: head.value))
      var build = ProjectionBuild(log: log, files: files, builder: builder)
      build.listener = listener
      if try build.run(progress: making, until: stopping) == nil { return .stopped }
    }
    return .madeElsewhere
  }

  /// To be made anew next time.
  func discard() {
    let place = opened?.place
    opened = nil
    discard(place)
  }

  /// Takes a file away that is of no use, unless another has taken its place. Whoever makes one at the moment puts it
  /// there anyway.
  private func discard(_ place: FileIdentity?) {
    guard let place, builder.hold() else { return }
    defer { builder.release() }
    if files.current == place { files.discard() }
  }

  /// The one that stands there; nil where there is none, or one that is not worth going on with.
  private func standing() throws(ProjectionError) -> (projector: Projector, place: FileIdentity)? {
    guard let place = files.current else { return nil }
    do throws(ProjectionError) {
      let sqlite: SQLiteConnection
      let store: CaseStore
      do throws(SQLiteError) {
        sqlite = try SQLiteConnection(path: files.path, mode: .readWrite)
        store = try CaseStore(sqlite)
      } catch { throw .store(error) }
      let projector = try Projector(log: log, store: store, listener: listener)
      let head: Position
      do throws(LogReadError) {
        // Thrown where it tells of another log.
        _ = try log.read(after: projector.bookmark, limit: 1)
        head = try log.head().position
      } catch { throw .log(error) }
      let behind = head.value - projector.bookmark.position.value
      if behind > Self.farBehind, behind > head.value / 2 { return nil }
      return (projector, place)
    } catch {
      guard error.isDamage else { throw error }
      discard(place)
      return nil
    }
  }
}

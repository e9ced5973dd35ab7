import SQLite
import Service

/// The projection as readers see it: beside the responder that writes it, each connection lent to one thread at a
/// time and kept for the next.
final class CaseFile: Sendable {
  private static let idleMax = 4
  private static let attemptsMax = 5

  private let folder: String
  let path: String
  private let idle = Monitor<[Lent]>([])

  init(folder: String) {
    self.folder = folder
    path = ProjectionFiles(folder: folder).path
  }

  /// Runs `body` in one read transaction, so that all it asks is answered from one state of the projection.
  func read<Answer>(
    _ body: (SQLiteConnection) throws(CaseReaderError) -> Answer
  ) throws(CaseReaderError) -> Answer {
    // Another making may take the place of this one at any moment; what fails for that is tried on the new one.
    for attempt in 1... {
      let place = FileIdentity(path: path)
      do throws(CaseReaderError) {
        guard let place else { throw absent() }
        let lent = try borrow(place)
        let answer: Answer? = try lent.connection.transaction(immediate: false, failure: Self.unreadable) {
          () throws(CaseReaderError) -> Answer? in
          try settle(lent.connection)
          // From here on it has what it reads of the file's companions open, whatever becomes of their names.
          return FileIdentity(path: path) == place ? try body(lent.connection) : nil
        }
        if let answer {
          idle.withLock { if $0.count < Self.idleMax { $0.append(lent) } }
          return answer
        }
        if attempt == Self.attemptsMax { throw .unreadable("\(path) is replaced again and again") }
      } catch {
        guard attempt < Self.attemptsMax, FileIdentity(path: path) != place else { throw error }
      }
    }
    preconditionFailure("the loop ends by return or throw")
  }

  /// Takes the snapshot that everything is then read from.
  private func settle(_ connection: SQLiteConnection) throws(CaseReaderError) {
    do throws(SQLiteError) { _ = try connection.row("SELECT 1 FROM bookmark") { $0.integer(0) } } catch {
      throw Self.unreadable(error)
    }
  }

  static func unreadable(_ error: SQLiteError) -> CaseReaderError {
    // SQLite makes files beside the one it reads.
    guard error.isRefusal, Files.isOnReadOnlyDisk(error.path) else { return .unreadable("\(error)") }
    return .unreadable(
      "the disk that holds \(error.path) can only be read, and files are made beside it for reading: mount it for writing, "
        + "or copy the folder to another disk and name that")
  }

  private func borrow(_ place: FileIdentity) throws(CaseReaderError) -> Lent {
    // A file that was made anew stands at another place; who still reads the old one would never see news.
    while let lent = idle.withLock({ $0.popLast() }) { if lent.place == place { return lent } }
    do throws(SQLiteError) {
      return Lent(connection: try SQLiteConnection(path: path, mode: .readOnly), place: place)
    } catch { throw Self.unreadable(error) }
  }

  private func absent() -> CaseReaderError {
    let others = ((try? Files.names(in: folder)) ?? []).filter {
      $0.hasPrefix("cases-v") && $0.hasSuffix(".sqlite") && !$0.dropFirst("cases-v".count).contains("-")
    }
    return others.isEmpty ? .absent(path: path) : .otherVersion(path: path, found: others.sorted())
  }

  /// `@unchecked Sendable`: a connection is either in the list, where nobody uses it, or with one thread.
  private struct Lent: @unchecked Sendable {
    let connection: SQLiteConnection
    let place: FileIdentity
  }
}

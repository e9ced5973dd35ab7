import Glibc
import SQLite
import Service

/// The projection as readers see it: beside the responder that writes it, each connection lent to one thread at a
/// time and kept for the next.
final class CaseFile: Sendable {
  private static let idleMax = 4

  private let folder: String
  let path: String
  private let idle = Monitor<[Lent]>([])

  init(folder: String) {
    self.folder = folder
    path = "\(folder)/cases-v\(CaseStoreSchema.version).sqlite"
  }

  /// Runs `body` in one read transaction, so that all it asks is answered from one state of the projection.
  func read<Answer>(
    _ body: (SQLiteConnection) throws(CaseReaderError) -> Answer
  ) throws(CaseReaderError) -> Answer {
    let lent = try borrow()
    let answer = try lent.connection.transaction(immediate: false, failure: Self.unreadable) {
      () throws(CaseReaderError) in try body(lent.connection)
    }
    idle.withLock { if $0.count < Self.idleMax { $0.append(lent) } }
    return answer
  }

  static func unreadable(_ error: SQLiteError) -> CaseReaderError { .unreadable("\(error)") }

  private func borrow() throws(CaseReaderError) -> Lent {
    let place = Place(path)
    // A file that was made anew stands at another place; who still reads the old one would never see news.
    while let lent = idle.withLock({ $0.popLast() }) { if lent.place == place { return lent } }
    guard let place else { throw absent() }
    do throws(SQLiteError) {
      return Lent(connection: try SQLiteConnection(path: path, mode: .readOnly), place: place)
    } catch { throw Self.unreadable(error) }
  }

  private func absent() -> CaseReaderError {
    var others: [String] = []
    if let open = opendir(folder) {
      defer { closedir(open) }
      while let entry = readdir(open) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
            String(cString: $0)
          }
        }
        if name.hasPrefix("cases-v"), name.hasSuffix(".sqlite") { others.append(name) }
      }
    }
    return others.isEmpty ? .absent(path: path) : .otherVersion(path: path, found: others.sorted())
  }

  /// Which file a path leads to.
  private struct Place: Equatable {
    var device: UInt64
    var inode: UInt64

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  /// `@unchecked Sendable`: a connection is either in the list, where nobody uses it, or with one thread.
  private struct Lent: @unchecked Sendable {
    let connection: SQLiteConnection
    let place: Place
  }
}

import SQLite
import Service

/// The lines of a lossless copy, and which one came last: a fault names it.
struct NumberedLines {
  let source: LineSource
  /// Of the line that came last, from 1.
  var number = 0

  init(source: LineSource) { self.source = source }

  /// nil at the end.
  mutating func next() throws(TransferError) -> LosslessLine? {
    let line = try read()
    guard line != .end else { return nil }
    number += 1
    guard case .line(let bytes) = line else {
      throw .line(number, "it is longer than \(LosslessLine.bytesMax) bytes")
    }
    do throws(LosslessLine.Fault) { return try LosslessLine(decoding: bytes) } catch {
      throw error.isNewer ? .newer("line \(number): \(error.why)") : .line(number, error.why)
    }
  }

  func isOver() throws(TransferError) -> Bool { try read() == .end }

  /// What the log's own guards refuse is the line's fault.
  func write(_ body: () throws(SQLiteError) -> Void) throws(TransferError) {
    do throws(SQLiteError) { try body() } catch {
      throw error.isConstraint ? .line(number, error.message) : TransferError(error)
    }
  }

  private func read() throws(TransferError) -> LineSource.Line {
    do throws(FileError) { return try source.next(bytesMax: LosslessLine.bytesMax) } catch { throw .file(error) }
  }
}

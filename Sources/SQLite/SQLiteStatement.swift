import CSQLite

/// A prepared statement; owned by its connection and used by the connection's thread.
@usableFromInline final class SQLiteStatement {
  private let pointer: OpaquePointer
  private let sql: String
  private let path: String

  init(pointer: OpaquePointer, sql: String, path: String) {
    self.pointer = pointer
    self.sql = sql
    self.path = path
  }

  deinit { sqlite3_finalize(pointer) }

  func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    precondition(
      values.count == Int(sqlite3_bind_parameter_count(pointer)), "as many values as parameters are bound to: \(sql)")
    // SQLite copies each value before the call returns.
    let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let value): sqlite3_bind_int64(pointer, index, value)
        case .text(var text):
          text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
              // An empty buffer may have no address, and no address would bind NULL.
              sqlite3_bind_text(pointer, index, chars.baseAddress ?? emptyText, Int32(chars.count), copy)
            }
          }
        case .utf8(let bytes):
          bytes.withUnsafeBytes { bytes in
            sqlite3_bind_text(
              pointer, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText, Int32(bytes.count),
              copy)
          }
        case .blob(let bytes):
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(pointer, index, 0)
            : bytes.withUnsafeBytes { sqlite3_bind_blob(pointer, index, $0.baseAddress, Int32($0.count), copy) }
        }
      if code != SQLITE_OK { throw error(code) }
    }
  }

  /// - Returns: whether a row is there to be read.
  func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(pointer)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw error(code)
    }
  }

  func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

  /// TEXT or BLOB as it is stored.
  func bytes(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(pointer, column)
    let count = Int(sqlite3_column_bytes(pointer, column))
    guard let start, count > 0 else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Good until the statement moves on; nil for NULL.
  @usableFromInline func lentBytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    if let start = sqlite3_column_blob(pointer, column) {
      return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }
    // What is empty has no address either.
    return isNull(column) ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  func text(_ column: Int32) -> String {
    let start = sqlite3_column_text(pointer, column)
    let count = Int(sqlite3_column_bytes(pointer, column))
    guard let start else { return "" }
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private func error(_ code: Int32) -> SQLiteError {
    let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
    return SQLiteError(code: code, message: message, doing: sql, path: path)
  }
}

/// `@unchecked`: one zero byte that nobody writes.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  pointer.initialize(to: 0)
  return UnsafePointer(pointer)
}()

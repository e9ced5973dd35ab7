/// The row a statement stands on; good only inside the closure it is given to.
public struct SQLiteRow: ~Copyable {
  @usableFromInline let statement: SQLiteStatement

  public func integer(_ column: Int32) -> Int64 { statement.integer(column) }
  public func text(_ column: Int32) -> String { statement.text(column) }
  /// TEXT or BLOB as it is stored.
  public func bytes(_ column: Int32) -> [UInt8] { statement.bytes(column) }

  /// Lends TEXT or BLOB as it is stored, without a copy; nil for NULL.
  @inlinable public func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
    body(statement.lentBytes(column))
  }

  public func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
  public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  public func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
}

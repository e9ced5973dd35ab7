import Cryptography
import SQLite

/// Recomputes digest and chain of a row of `LogSchema.columns` from the bytes as SQLite holds them, in memory that is used
/// again for the next one.
struct RowHash: ~Copyable {
  private var hash = SHA256()
  private var text = FieldBytes("", capacity: 16_384)

  /// What is wrong between data, seams, salt and digest of a row; nil where nothing is.
  mutating func objection(toDataOf row: borrowing SQLiteRow) -> String? {
    if row.isNull(15) {
      return row.isNull(16) && row.isNull(17) ? nil : "the data is missing while seams or salt are there"
    }
    if row.isNull(17) { return "the salt is missing while the data is there" }
    text.restart("refundlog digest 1")
    for column: Int32 in [17, 15, 16] { row.withBytes(column) { text.field(lent: $0) } }
    return digest().isStored(in: row, 18) ? nil : "data, seams or salt do not fit the digest"
  }

  /// The chain that the row must have after one with that chain.
  mutating func chain(of row: borrowing SQLiteRow, after chain: SHA256Digest) -> SHA256Digest {
    text.restart("refundlog chain 1")
    chain.withBytes { text.raw($0) }
    for column: Int32 in 0..<15 {
      switch column {
      case 0, 3, 5, 10, 12: text.field(row.integer(column))
      case 11: text.field(row.optionalInteger(column))
      default: row.withBytes(column) { text.field(lent: $0) }
      }
    }
    row.withBytes(18) { if let digest = $0 { text.raw(digest) } }
    return digest()
  }

  private mutating func digest() -> SHA256Digest { text.withBytes { hash.next($0) } }
}

extension SHA256Digest {
  func isStored(in row: borrowing SQLiteRow, _ column: Int32) -> Bool {
    row.withBytes(column) { stored in equals(stored ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
  }
}

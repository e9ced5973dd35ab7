import Cryptography
import SQLite

/// Recomputes digest and chain of events one after the other, from the bytes as SQLite holds them.
///
/// Its memory is used again for each event: at 200,000 events a second nothing may be made for one alone.
struct EventProver: ~Copyable {
  /// Sums over what stood in the rows, to be compared with the same over each index: a row and its entry give the same
  /// number, and the order of adding does not matter. By keys drawn anew in each process, so that nobody can choose rows
  /// that cancel each other.
  struct Sums: Equatable, Sendable {
    var rows: Int64 = 0
    var ids = 0
    var versions = 0

    static func += (left: inout Sums, right: Sums) {
      left.rows += right.rows
      left.ids &+= right.ids
      left.versions &+= right.versions
    }

    /// Takes a row that begins with the first four of `LogSchema.columns`.
    mutating func add(_ row: borrowing SQLiteRow) {
      let position = row.integer(0)
      row.withBytes(1) { ids &+= Self.id($0 ?? .init(start: nil, count: 0), position) }
      row.withBytes(2) { versions &+= Self.version($0 ?? .init(start: nil, count: 0), row.integer(3), position) }
      rows += 1
    }

    static func id(_ id: UnsafeRawBufferPointer, _ position: Int64) -> Int { number(id, position, 0) }

    static func version(_ stream: UnsafeRawBufferPointer, _ version: Int64, _ position: Int64) -> Int {
      number(stream, position, version)
    }

    private static let keys = (UInt64.random(in: .min ... .max) | 1, UInt64.random(in: .min ... .max) | 1)

    /// `Hasher` takes four times as long, and this is asked four times for each event.
    private static func number(_ bytes: UnsafeRawBufferPointer, _ first: Int64, _ second: Int64) -> Int {
      var state = keys.0
      func mix(_ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: keys.1)
        state = product.high ^ product.low &+ keys.0
      }
      var offset = 0
      while offset + 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      var rest = UInt64(bytes.count - offset)
      while offset < bytes.count {
        rest = rest << 8 | UInt64(bytes[offset])
        offset += 1
      }
      mix(rest)
      mix(UInt64(bitPattern: first))
      mix(UInt64(bitPattern: second))
      return Int(truncatingIfNeeded: state)
    }
  }

  private let headers: VerifiedHeaders
  private var hash = RowHash()
  private(set) var position: Position
  private(set) var chain: SHA256Digest
  private(set) var sums = Sums()
  private(set) var blanks: [Position] = []

  /// - Parameters:
  ///   - position: of the event before the first one to prove.
  ///   - chain: as stored there.
  init(after position: Position, chain: SHA256Digest, headers: VerifiedHeaders) {
    self.position = position
    self.chain = chain
    self.headers = headers
  }

  /// Takes the next row of `LogSchema.columns`.
  /// - Returns: what is wrong with it.
  mutating func objection(to row: borrowing SQLiteRow) -> String? {
    let found = row.integer(0)
    if found != position.next.value { return "events are missing: after \(position) comes \(found)" }
    if let what = hash.objection(toDataOf: row) { return what }
    if row.isNull(15) { blanks.append(position.next) }
    let next = hash.chain(of: row, after: chain)
    if !next.isStored(in: row, 19) { return "the chain does not fit what stands before" }
    if let what = row.withBytes(16, { headers.objection(toSeams: $0) }) { return what }
    sums.add(row)
    position = Position(found)
    chain = next
    return nil
  }
}

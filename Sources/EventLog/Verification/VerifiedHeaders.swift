import Cryptography
import SQLite

/// The protected headers of a log, each looked at once: certificates change every few years, so they are few.
struct VerifiedHeaders: Sendable {
  private let isWhole: [SHA256Digest: Bool]

  init(of connection: LogConnection) throws(SQLiteError) {
    let found = try connection.sqlite.rows("SELECT digest, bytes FROM headers") {
      (SHA256Digest(bytes: $0.bytes(0)), SHA256.digest(of: $0.bytes(1)))
    }
    isWhole = Dictionary(found.compactMap { named, real in named.map { ($0, $0 == real) } }) { $0 && $1 }
  }

  /// What is wrong with seams as stored; nil also where there are none.
  func objection(toSeams bytes: UnsafeRawBufferPointer?) -> String? {
    guard let bytes else { return nil }
    guard let count = Seams.headerDigestCount(in: bytes) else { return "the seams cannot be read" }
    for index in 0..<count {
      let start = 2 + index * 32
      switch SHA256Digest(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 32])).flatMap({ isWhole[$0] }) {
      case nil: return "a header that the seams name is missing"
      case false?: return "a header that the seams name was altered"
      case true?: break
      }
    }
    return nil
  }
}

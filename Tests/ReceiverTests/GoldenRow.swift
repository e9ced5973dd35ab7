import Cryptography
import EventLog
import JSON
import Synchronization
import TestSupport
import Testing

/// One event of `format1-golden.json`, made by an implementation that shares nothing with this one.
struct GoldenRow: Sendable, CustomTestStringConvertible {
  let file: String
  let stream: String
  let kind: String?
  let environment: String
  let app: String
  let customer: String?
  let receivedAt: Int64
  let signedAt: Int64?
  let data: [UInt8]
  let seams: [UInt8]

  var testDescription: String { file }

  static let all: [GoldenRow] = (root?["events"]?.elements ?? []).map { event in
    let row = event["row"]!
    return GoldenRow(
      file: event["file"]!.string!, stream: row["stream"]!.string!, kind: row["kind"]?.string,
      environment: row["environment"]!.string!, app: row["app"]!.string!, customer: row["customer"]?.string,
      receivedAt: row["occurred_at"]!.int64!, signedAt: row["signed_at"]?.int64,
      data: Array(event["data"]!.stringBytes!), seams: Hex.decode(event["seams"]!.string!)!)
  }

  /// A log in memory with the golden log's id, secret and birth.
  static func log() throws -> MemoryEventLog {
    let log = try #require(root?["log"])
    let secret = try #require(log["secret"]?.string.flatMap { Hex.decode($0) })
    let id = try #require(log["id"]?.string)
    let createdAt = try #require(log["created_at"]?.int64)
    return MemoryEventLog(
      parts: LogParts(
        clock: { createdAt },
        randomBytes: { count in count == 32 ? secret : [UInt8](repeating: 1, count: count) }, newLogID: { id }))
  }

  private static let root: JSONView? = Project.bytes(Project.vectors + "/format1-golden.json")
    .flatMap { try? JSONDocument(bytes: $0).root }
}

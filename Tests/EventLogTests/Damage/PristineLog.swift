import Cryptography
import EventLog
import Glibc
import Service
import TestSupport

/// A log of notifications and other events, kept as bytes, and all that its readers are given: what they must be given
/// again from a damaged copy, or be refused.
struct PristineLog {
  /// What each kind of read gives.
  struct Served: Equatable {
    var followed: [RecordedEvent] = []
    var byStream: [StreamName: [RecordedEvent]] = [:]
    var byID: [EventID: RecordedEvent] = [:]
    var headers: [[UInt8]: [UInt8]] = [:]
  }

  static let names = ["events.sqlite", "events.sqlite-wal", "events.bell"]

  /// By name.
  let files: [String: [UInt8]]
  let served: Served
  /// After the last event.
  let bookmark: Bookmark
  let streams: Set<StreamName>
  let ids: Set<EventID>
  let digests: Set<[UInt8]>

  /// - Parameter live: whether the last third stands in the write-ahead log alone.
  init(events: Int, live: Bool) throws {
    let folder = TemporaryFolder()
    let first = try LogFixture.local(folder)
    let drafts = (1...events).map(Self.draft)
    let split = live ? events * 2 / 3 : events
    for draft in drafts[..<split] { _ = try first.append([draft]) }
    first.close()
    // Checkpointed as a whole; it would stand before the file otherwise, whatever happened to that.
    unlink(folder.path + "/events.sqlite-wal")
    let log = try LogFixture.local(folder)
    for draft in drafts[split...] { _ = try log.append([draft]) }
    defer { log.close() }
    var files: [String: [UInt8]] = [:]
    for name in Self.names where live || name != "events.sqlite-wal" {
      files[name] = try Files.read("\(folder.path)/\(name)", bytesMax: 1 << 28)
    }
    self.files = files
    streams = Set(drafts.map(\.stream))
    ids = Set(drafts.map(\.id))
    digests = Set(drafts.flatMap { $0.seams?.headerDigests ?? [] })
    bookmark = try log.head()
    served = try Self.everything(in: log, streams, ids, digests)
  }

  /// Of ten, three are notifications with seams, one is large.
  private static func draft(_ number: Int) -> EventDraft {
    let text = "{\"n\":\(number),\"text\":\"\(String(repeating: "abcdefghij", count: number % 10 == 0 ? 2_000 : 60))\"}"
    var draft = LogFixture.draft(
      "note/\(SecureRandom.uuid())", stream: "purchase/Sandbox/\(number % 17)", data: text)
    guard number % 10 < 3 else { return draft }
    let header = Array("{\"alg\":\"ES256\",\"n\":\(number % 4)}".utf8) + [UInt8](repeating: 32, count: 1_500)
    draft.kind = "REFUND"
    draft.environment = "Sandbox"
    draft.headers = [header]
    draft.seams = Seams(
      .spliced(
        headerDigests: [SHA256.digest(of: header).bytes],
        tokens: [.init(header: 0, payload: 0..<5, signature: [UInt8](repeating: UInt8(number % 251), count: 64))]))
    return draft
  }

  /// Lays the files into a folder, changed.
  func lay(into folder: String, _ change: (String, inout [UInt8]) -> Void) throws {
    try Files.makeFolder(folder)
    for (name, bytes) in files {
      var bytes = bytes
      change(name, &bytes)
      try bytes.withUnsafeBytes { bytes in
        let file = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, write(file, bytes.baseAddress, bytes.count) == bytes.count else {
          throw FileError(path: "\(folder)/\(name)", doing: "write")
        }
        close(file)
      }
    }
  }

  /// Reads in every way there is.
  func everything(in log: LocalEventLog) throws -> Served { try Self.everything(in: log, streams, ids, digests) }

  private static func everything(
    in log: LocalEventLog, _ streams: Set<StreamName>, _ ids: Set<EventID>, _ digests: Set<[UInt8]>
  ) throws -> Served {
    var served = Served()
    var bookmark = Bookmark(startOf: log.identity)
    while case let events = try log.read(after: bookmark, limit: 64), !events.isEmpty {
      for event in events { bookmark = bookmark.passing(event) }
      served.followed += events
    }
    for stream in streams { served.byStream[stream] = try log.read(stream: stream, after: 0, limit: 10_000) }
    for id in ids { served.byID[id] = try log.read(id: id) }
    for digest in digests { served.headers[digest] = try log.header(digest: digest) }
    return served
  }
}

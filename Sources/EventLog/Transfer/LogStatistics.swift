import SQLite
import Service

/// How much is in a log, and how fast it grows. One read transaction; memory does not grow with the log.
public struct LogStatistics: Sendable, Equatable {
  /// What one set of columns has in common, and how often it is there.
  public struct Group: Sendable, Equatable {
    public var type: String
    public var kind: String?
    public var environment: String?
    public var app: String?
    public var events: Int64
    public var erased: Int64
  }

  /// What was recorded in a stretch of days up to the newest event.
  public struct Growth: Sendable, Equatable {
    public var days: Double
    public var events: Int64
  }

  public var log: LogIdentity.ID
  public var events: Int64
  /// When the first and the newest event were recorded, milliseconds since 1970, UTC; nil in an empty log.
  public var first: Int64?
  public var newest: Int64?
  /// Most first.
  public var groups: [Group]
  /// More groups than are kept here; their events are in `events` all the same.
  public var isCut: Bool
  /// By what stands before the first slash of the name: `purchase`, `app`, `customer`, …
  public var streams: [String: Int64]
  /// What events, headers and indexes take, wherever it stands: of a young log, mostly in the write-ahead log.
  public var contentBytes: Int64
  public var fileBytes: Int64
  public var walBytes: Int64
  /// Over the last thirty days that the log tells of, or as many as there are; nil in one of less than a day.
  public var growth: Growth?

  public var erased: Int64 { groups.reduce(0) { $0 + $1.erased } }

  private static let groupsMax = 2_000
  private static let streamKindsMax = 100
  private static let month: Int64 = 30 * day
  private static let day: Int64 = 86_400_000

  /// Reads the whole log of a folder once, beside whoever writes it.
  public init(of folder: String) throws(TransferError) {
    let files = LogFiles(folder: folder)
    let connection: LogConnection
    do throws(LogOpenError) { connection = try LogConnection(files, mode: .readOnly) } catch { throw .log(error) }
    log = connection.identity.id
    fileBytes = Files.size(files.events) ?? 0
    walBytes = Files.size(files.writeAhead) ?? 0
    let sqlite = connection.sqlite
    let read = try sqlite.transaction(immediate: false, failure: { TransferError($0) }) {
      () throws(TransferError) -> Read in
      try TransferError.sqlite { () throws(SQLiteError) -> Read in try Read(sqlite) }
    }
    contentBytes = read.contentBytes
    events = read.events
    first = read.first
    newest = read.newest
    groups = read.groups
    isCut = read.isCut
    streams = read.streams
    growth = read.growth
  }

  private struct Read {
    var contentBytes: Int64
    var events: Int64 = 0
    var first: Int64?
    var newest: Int64?
    var groups: [Group] = []
    var isCut = false
    var streams: [String: Int64] = [:]
    var growth: Growth?

    init(_ sqlite: SQLiteConnection) throws(SQLiteError) {
      // Pages as this transaction sees them, those in the write-ahead log included.
      let pages = try sqlite.row("PRAGMA page_count") { $0.integer(0) } ?? 0
      contentBytes = pages * (try sqlite.row("PRAGMA page_size") { $0.integer(0) } ?? 0)
      events = try sqlite.row("SELECT coalesce(max(position), 0) FROM events") { $0.integer(0) } ?? 0
      first = try Self.recordedAt(1, sqlite)
      newest = try Self.recordedAt(events, sqlite)
      (groups, isCut) = try Self.groups(sqlite)
      // The index over streams and versions holds all that this asks.
      let counted = try sqlite.rows(
        """
        SELECT CASE instr(stream, '/') WHEN 0 THEN stream ELSE substr(stream, 1, instr(stream, '/') - 1) END, count(*)
        FROM events WHERE version = 1 GROUP BY 1 ORDER BY 2 DESC LIMIT ?
        """, [.integer(Int64(LogStatistics.streamKindsMax))]
      ) { ($0.text(0), $0.integer(1)) }
      streams = Dictionary(counted, uniquingKeysWith: +)
      growth = try Self.growth(through: events, sqlite)
    }

    private struct Columns: Hashable {
      var type: String
      var kind: String?
      var environment: String?
      var app: String?
    }

    /// One pass over the table. SQLite would sort all rows for this, which takes several times as long as reading them.
    private static func groups(_ sqlite: SQLiteConnection) throws(SQLiteError) -> ([Group], isCut: Bool) {
      var found: [Columns: (events: Int64, erased: Int64)] = [:]
      var isCut = false
      try sqlite.forEachRow(
        "SELECT type, kind, environment, app, data IS NULL FROM events NOT INDEXED", failure: { $0 }
      ) { row throws(SQLiteError) in
        let columns = Columns(
          type: row.text(0), kind: row.optionalText(1), environment: row.optionalText(2), app: row.optionalText(3))
        guard found.count < LogStatistics.groupsMax || found[columns] != nil else {
          isCut = true
          return true
        }
        found[columns, default: (0, 0)].events += 1
        found[columns]!.erased += row.integer(4)
        return true
      }
      let groups = found.map { columns, count in
        Group(
          type: columns.type, kind: columns.kind, environment: columns.environment, app: columns.app,
          events: count.events, erased: count.erased)
      }
      return (groups.sorted { ($1.events, $0.type, $0.kind ?? "") < ($0.events, $1.type, $1.kind ?? "") }, isCut)
    }

    private static func recordedAt(_ position: Int64, _ sqlite: SQLiteConnection) throws(SQLiteError) -> Int64? {
      try sqlite.row("SELECT recorded_at FROM events WHERE position = ?", [.integer(position)]) { $0.integer(0) }
    }

    /// Instants of recording go up with the position, but for a clock that was set back.
    private static func growth(through head: Int64, _ sqlite: SQLiteConnection) throws(SQLiteError) -> Growth? {
      guard let newest = try recordedAt(head, sqlite), let first = try recordedAt(1, sqlite) else { return nil }
      let since = max(first, newest - LogStatistics.month)
      guard newest - since >= LogStatistics.day else { return nil }
      var (low, high) = (Int64(1), head)
      while low < high {
        let middle = (low + high) / 2
        if try recordedAt(middle, sqlite) ?? .max < since { low = middle + 1 } else { high = middle }
      }
      return Growth(days: Double(newest - since) / 86_400_000, events: head - low + 1)
    }
  }
}

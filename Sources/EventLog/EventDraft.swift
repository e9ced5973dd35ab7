/// An event that somebody wants in the log. The log adds position, version, instant of recording, salt and
/// hashes, and looks at nothing inside `data`.
public struct EventDraft: Sendable, Equatable {
  public var id: EventID
  public var stream: StreamName
  /// Name of the event, for instance `NotificationReceived`.
  public var type: String
  /// Version of the event's shape, from 1.
  public var schema: Int64
  public var kind: String?
  public var environment: String?
  public var app: String?
  /// Pseudonym: 64 hex digits, see `EventLog.keyedDigest`.
  public var customer: String?
  /// Milliseconds since 1970, UTC.
  public var occurredAt: Int64
  public var signedAt: Int64?
  public var causation: EventID?
  public var correlation: EventID?
  /// One JSON text, UTF-8.
  public var data: [UInt8]
  /// Where signed tokens were taken apart inside `data`.
  public var seams: Seams?
  /// Protected headers that the seams name by digest; stored once each.
  public var headers: [[UInt8]]

  public init(
    id: EventID, stream: StreamName, type: String, schema: Int64 = 1, kind: String? = nil,
    environment: String? = nil, app: String? = nil, customer: String? = nil, occurredAt: Int64,
    signedAt: Int64? = nil, causation: EventID? = nil, correlation: EventID? = nil, data: [UInt8],
    seams: Seams? = nil, headers: [[UInt8]] = []
  ) {
    self.id = id
    self.stream = stream
    self.type = type
    self.schema = schema
    self.kind = kind
    self.environment = environment
    self.app = app
    self.customer = customer
    self.occurredAt = occurredAt
    self.signedAt = signedAt
    self.causation = causation
    self.correlation = correlation
    self.data = data
    self.seams = seams
    self.headers = headers
  }

  /// Bytes of one event's data and seams together, at most.
  public static let bytesMax = 4 << 20
  /// Bytes of an id or a stream's name, at most.
  public static let nameBytesMax = 512

  /// Why the log would not take it; nil where it would.
  var objection: String? {
    for (what, name) in [("id", id.text), ("stream", stream.text), ("type", type)] {
      if name.isEmpty { return "the event has an empty \(what)" }
      if name.utf8.count > Self.nameBytesMax {
        return "the event's \(what) has \(name.utf8.count) bytes, allowed are \(Self.nameBytesMax)"
      }
    }
    let bytes = data.count + (seams?.encoded.count ?? 0)
    if bytes > Self.bytesMax { return "the event \(id) has \(bytes) bytes of data, allowed are \(Self.bytesMax)" }
    return nil
  }
}

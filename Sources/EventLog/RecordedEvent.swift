/// An event as it stands in the log.
public struct RecordedEvent: Sendable, Equatable {
  public var position: Position
  public var id: EventID
  public var stream: StreamName
  /// Place in its stream, from 1.
  public var version: Int64
  public var type: String
  public var schema: Int64
  public var kind: String?
  public var environment: String?
  public var app: String?
  public var customer: String?
  /// This and the next two: milliseconds since 1970, UTC.
  public var occurredAt: Int64
  public var signedAt: Int64?
  public var recordedAt: Int64
  public var causation: EventID?
  public var correlation: EventID?
  /// nil where the event was erased, then seams and salt are nil too.
  public var data: [UInt8]?
  /// As stored; `Seams(decoding:)` reads them.
  public var seams: [UInt8]?
  public var salt: [UInt8]?
  public var digest: [UInt8]
  /// Hash over everything up to and including this event.
  public var chain: [UInt8]

  public var isErased: Bool { data == nil }
}

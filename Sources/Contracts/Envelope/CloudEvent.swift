/// An event on its way out of the log: CloudEvents 1.0 in structured JSON, the same in feed, webhook and export.
public struct CloudEvent: Sendable, Equatable {
  /// Id of the event, unique for ever.
  public var id: String
  /// Random id of the log; `source` is made of it.
  public var logID: String
  /// The event's name and version, as the columns `type` and `schema` hold them; also ones of newer releases.
  public var name: String
  public var schema: Int64
  /// The stream; the attribute `subject`.
  public var stream: String
  /// Milliseconds since 1970, UTC; the attribute `time`.
  public var occurredAt: Int64
  public var position: Int64
  public var streamVersion: Int64
  public var environment: String?
  public var app: String?
  /// notificationType, or notificationType/subtype.
  public var kind: String?
  /// Pseudonym of the customer.
  public var customer: String?
  /// The notification's signedDate, milliseconds since 1970, UTC.
  public var signedAt: Int64?
  public var causationID: String?
  public var correlationID: String?
  /// The stored bytes, copied as they are; nil where they were erased.
  public var data: [UInt8]?

  public init(
    id: String, logID: String, name: String, schema: Int64, stream: String, occurredAt: Int64, position: Int64,
    streamVersion: Int64, environment: String? = nil, app: String? = nil, kind: String? = nil,
    customer: String? = nil, signedAt: Int64? = nil, causationID: String? = nil, correlationID: String? = nil,
    data: [UInt8]?
  ) {
    self.id = id
    self.logID = logID
    self.name = name
    self.schema = schema
    self.stream = stream
    self.occurredAt = occurredAt
    self.position = position
    self.streamVersion = streamVersion
    self.environment = environment
    self.app = app
    self.kind = kind
    self.customer = customer
    self.signedAt = signedAt
    self.causationID = causationID
    self.correlationID = correlationID
    self.data = data
  }

  /// Media type of one event.
  public static let mediaType = "application/cloudevents+json"

  /// The attribute `type`.
  public var type: String { CloudEventsNames.type(of: name, schema: schema) }

  /// The attribute `source`.
  public var source: String { "urn:refundlog:\(logID)" }

  /// The event as one JSON object. Attributes that do not apply are absent, never null; `data` stands last.
  public func encoded() -> [UInt8] {
    var writer = AttributeWriter()
    writer.put("specversion", "1.0")
    writer.put("id", id)
    writer.put("source", source)
    writer.put("type", type)
    writer.put("subject", stream)
    writer.put("time", Timestamp.rfc3339(occurredAt))
    writer.put("datacontenttype", "application/json")
    writer.put("dataschema", CloudEventsNames.dataSchema(of: name, schema: schema))
    writer.put("position", String(position))
    writer.put("streamversion", String(streamVersion))
    writer.put("environment", environment)
    writer.put("app", app)
    writer.put("kind", kind)
    writer.put("customer", customer)
    writer.put("signedat", signedAt.map(Timestamp.rfc3339))
    writer.put("causationid", causationID)
    writer.put("correlationid", correlationID)
    if let data { writer.put("data", json: data) } else { writer.put("erased", json: Array("true".utf8)) }
    return writer.finished()
  }
}

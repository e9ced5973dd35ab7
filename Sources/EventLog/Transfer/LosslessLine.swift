import Cryptography
import JSON

/// What closes a lossless copy, so that one that was cut is noticed.
public struct LosslessEnd: Sendable, Equatable {
  public var events: Int64
  public var headers: Int64
  public var head: Position
  public var chain: [UInt8]
}

/// One line of a lossless copy: the log's identity first, then its headers, its events, and the end.
///
/// Bytes stand in base64, `data` as the text it is. What is absent is NULL in the log. Members stand in one order and
/// nothing else is written, so the same log gives the same bytes.
enum LosslessLine {
  case log(LogIdentity)
  case header(number: Int64, [UInt8])
  case event(RecordedEvent)
  case end(LosslessEnd)

  /// Bytes of a line, at most: an event's data, each byte of which may need six, and what stands beside it.
  static let bytesMax = 8 * EventDraft.bytesMax

  /// The version of this form.
  private static let form: Int64 = 1

  // MARK: Out

  /// With its line feed.
  func encoded() -> [UInt8] {
    var line = Writer()
    switch self {
    case .log(let identity):
      line.put("refundlog", "lossless copy")
      line.put("form", Self.form)
      line.put("format", identity.format)
      line.put("log", identity.id)
      line.put("createdAt", identity.createdAt)
      line.put("secret", bytes: identity.secret)
    case .header(let number, let bytes):
      line.put("header", number)
      line.put("bytes", bytes: bytes)
    case .event(let event): Self.write(event, to: &line)
    case .end(let end):
      line.put("end", end.head.value)
      line.put("events", end.events)
      line.put("headers", end.headers)
      line.put("chain", bytes: end.chain)
    }
    return line.closed()
  }

  private static func write(_ event: RecordedEvent, to line: inout Writer) {
    line.put("position", event.position.value)
    line.put("id", event.id.text)
    line.put("stream", event.stream.text)
    line.put("version", event.version)
    line.put("type", event.type)
    line.put("schema", event.schema)
    line.put("kind", event.kind)
    line.put("environment", event.environment)
    line.put("app", event.app)
    line.put("customer", event.customer)
    line.put("occurredAt", event.occurredAt)
    line.put("signedAt", event.signedAt)
    line.put("recordedAt", event.recordedAt)
    line.put("causation", event.causation?.text)
    line.put("correlation", event.correlation?.text)
    if let data = event.data {
      // Data is JSON, and so UTF-8; what is not would not come back as it was.
      if let text = String(validating: data, as: UTF8.self) {
        line.put("data", text)
      } else {
        line.put("dataBytes", bytes: data)
      }
    }
    line.put("seams", bytes: event.seams)
    line.put("salt", bytes: event.salt)
    line.put("digest", bytes: event.digest)
    line.put("chain", bytes: event.chain)
  }

  private struct Writer {
    private var json = JSONWriter()
    private var isFirst = true

    init() { json.raw("{") }

    mutating func put(_ name: String, _ text: String?) {
      guard let text else { return }
      key(name)
      json.string(text)
    }

    mutating func put(_ name: String, _ number: Int64?) {
      guard let number else { return }
      key(name)
      json.raw(String(number))
    }

    mutating func put(_ name: String, bytes: [UInt8]?) {
      guard let bytes else { return }
      key(name)
      json.raw("\"")
      json.raw(Base64.encodeBytes(bytes))
      json.raw("\"")
    }

    mutating func closed() -> [UInt8] {
      json.raw("}\n")
      return json.bytes
    }

    private mutating func key(_ name: String) {
      if !isFirst { json.raw(",") }
      isFirst = false
      json.string(name)
      json.raw(":")
    }
  }

  // MARK: In

  /// Why a line cannot be read; nothing of its content stands in it.
  struct Fault: Error, Equatable {
    var why: String
    /// It may be right, and is not for this release.
    var isNewer = false
  }

  /// - Parameter line: without its line feed.
  init(decoding line: [UInt8]) throws(Fault) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes: line, limits: JSONLimits(bytesMax: Self.bytesMax, depthMax: 2, nodesMax: 64))
    } catch { throw Fault(why: "it is no line of a lossless copy: \(error)") }
    var members = try Reader(document.root)
    switch members.first {
    case "refundlog":
      guard try members.text("refundlog") == "lossless copy" else { throw Fault(why: "it is no lossless copy") }
      let form = try members.number("form")
      guard form == Self.form else {
        throw Fault(why: "it is of form \(form), this release reads \(Self.form)", isNewer: form > Self.form)
      }
      self = .log(
        LogIdentity(
          id: try members.text("log"), secret: try members.bytes("secret"), format: try members.number("format"),
          createdAt: try members.number("createdAt")))
    case "header": self = .header(number: try members.number("header"), try members.bytes("bytes"))
    case "position": self = .event(try Self.recorded(&members))
    case "end":
      self = .end(
        LosslessEnd(
          events: try members.number("events"), headers: try members.number("headers"),
          head: Position(try members.number("end")), chain: try members.bytes("chain")))
    default: throw Fault(why: "it is no line of a lossless copy")
    }
    try members.refuseRest()
  }

  private static func recorded(_ members: inout Reader) throws(Fault) -> RecordedEvent {
    var data = try members.optionalText("data").map { Array($0.utf8) }
    if let bytes = try members.optionalBytes("dataBytes") {
      if data != nil { throw Fault(why: "it holds data and dataBytes") }
      data = bytes
    }
    return RecordedEvent(
      position: Position(try members.number("position")), id: EventID(try members.text("id")),
      stream: StreamName(try members.text("stream")), version: try members.number("version"),
      type: try members.text("type"), schema: try members.number("schema"), kind: try members.optionalText("kind"),
      environment: try members.optionalText("environment"), app: try members.optionalText("app"),
      customer: try members.optionalText("customer"), occurredAt: try members.number("occurredAt"),
      signedAt: try members.optionalNumber("signedAt"), recordedAt: try members.number("recordedAt"),
      causation: try members.optionalText("causation").map(EventID.init),
      correlation: try members.optionalText("correlation").map(EventID.init), data: data,
      seams: try members.optionalBytes("seams"), salt: try members.optionalBytes("salt"),
      digest: try members.bytes("digest"), chain: try members.bytes("chain"))
  }

  private struct Reader {
    let first: String?
    private var members: [String: JSONView]

    init(_ root: JSONView) throws(Fault) {
      guard let found = root.members else { throw Fault(why: "it is no JSON object") }
      first = found.first?.key
      members = Dictionary(found.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func optionalText(_ name: String) throws(Fault) -> String? {
      guard let value = members.removeValue(forKey: name) else { return nil }
      guard let text = value.string else { throw Fault(why: "\(name) is no text") }
      return text
    }

    mutating func optionalNumber(_ name: String) throws(Fault) -> Int64? {
      guard let value = members.removeValue(forKey: name) else { return nil }
      guard let number = value.int64 else { throw Fault(why: "\(name) is no whole number") }
      return number
    }

    mutating func optionalBytes(_ name: String) throws(Fault) -> [UInt8]? {
      guard let value = members.removeValue(forKey: name) else { return nil }
      guard let bytes = value.stringBytes.flatMap({ Base64.decode($0) }) else {
        throw Fault(why: "\(name) is no base64")
      }
      return bytes
    }

    mutating func text(_ name: String) throws(Fault) -> String { try there(try optionalText(name), name) }
    mutating func number(_ name: String) throws(Fault) -> Int64 { try there(try optionalNumber(name), name) }
    mutating func bytes(_ name: String) throws(Fault) -> [UInt8] { try there(try optionalBytes(name), name) }

    /// A member of a newer form would be lost silently.
    func refuseRest() throws(Fault) {
      if let name = members.keys.sorted().first {
        throw Fault(why: "it holds \(name), which this release does not know")
      }
    }

    private func there<Value>(_ value: Value?, _ name: String) throws(Fault) -> Value {
      guard let value else { throw Fault(why: "\(name) is missing") }
      return value
    }
  }
}

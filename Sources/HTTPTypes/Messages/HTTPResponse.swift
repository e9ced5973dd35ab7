import JSON

/// A reply with its whole body. Framing (Content-Length, Transfer-Encoding, Connection) and Date are the
/// server's business: fields of these names are ignored when a reply is written.
public struct HTTPResponse: Hashable, Sendable {
  /// 100 to 599.
  public var status: Int
  public var fields: HTTPFields
  public var body: [UInt8]

  public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// No body.
  public static func empty(_ status: Int, fields: HTTPFields = [:]) -> Self { .init(status: status, fields: fields) }

  /// Bytes that are JSON already.
  public static func json(_ body: [UInt8], status: Int = 200, fields: HTTPFields = [:]) -> Self {
    content(body, type: "application/json", status: status, fields: fields)
  }

  /// Plain UTF-8 text.
  public static func text(_ body: String, status: Int = 200, fields: HTTPFields = [:]) -> Self {
    content(Array(body.utf8), type: "text/plain; charset=utf-8", status: status, fields: fields)
  }

  /// An error whose status says it all, for whatever is refused before a call is reached: RFC 9457 §4.2.1, `about:blank`.
  /// - Parameter detail: a sentence for whoever reads the answer.
  public static func problem(_ status: Int, detail: String, fields: HTTPFields = [:]) -> Self {
    let body: JSONValue = [
      "type": "about:blank", "title": .string("\(HTTPStatus.reason(status))"),
      "status": .number(JSONNumber(Int64(status))), "detail": .string(detail),
    ]
    return content(body.bytes(), type: "application/problem+json", status: status, fields: fields)
  }

  /// Bytes of any media type.
  public static func content(_ body: [UInt8], type: String, status: Int = 200, fields: HTTPFields = [:]) -> Self {
    var fields = fields
    fields["Content-Type"] = type
    return .init(status: status, fields: fields, body: body)
  }
}

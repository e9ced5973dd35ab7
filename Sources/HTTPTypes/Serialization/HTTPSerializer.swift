/// Writes heads as bytes. Framing fields are always ours: what a caller put under their names is not written,
/// so that a message can never disagree with itself.
public enum HTTPSerializer {
  /// - Parameters:
  ///   - date: value of the Date field; nil writes none.
  ///   - method: of the request; the reply to HEAD is written without its body.
  /// - Returns: head and body. Statuses 1xx, 204 and 304 have neither body nor Content-Length.
  public static func bytes(
    of response: HTTPResponse, to method: HTTPMethod, persistence: HTTPPersistence, date: String?
  ) -> [UInt8] {
    let hasContent = response.status >= 200 && response.status != 204 && response.status != 304
    let writesBody = hasContent && method != .head
    var out: [UInt8] = []
    out.reserveCapacity(512 + (writesBody ? response.body.count : 0))
    append("HTTP/1.1 ", to: &out)
    append(String(response.status), to: &out)
    out.append(0x20)
    append(HTTPStatus.reason(response.status), to: &out)
    endLine(&out)
    if let date { appendField("Date", date, to: &out) }
    append(response.fields, to: &out)
    if hasContent { appendField("Content-Length", String(response.body.count), to: &out) }
    switch persistence {
    case .close: appendField("Connection", "close", to: &out)
    case .keepAndSay: appendField("Connection", "keep-alive", to: &out)
    case .keep: break
    }
    endLine(&out)
    if writesBody { out.append(contentsOf: response.body) }
    return out
  }

  /// - Parameter host: value of the Host field.
  /// - Returns: head and body. Content-Length is written when there is a body, and for POST, PUT and PATCH.
  public static func bytes(
    of method: HTTPMethod, target: HTTPTarget, host: String, fields: HTTPFields, body: [UInt8]
  ) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(1024 + body.count)
    append(method.rawValue, to: &out)
    out.append(0x20)
    append(target.description, to: &out)
    append(" HTTP/1.1", to: &out)
    endLine(&out)
    appendField("Host", host, to: &out)
    append(fields, to: &out)
    if !body.isEmpty || method == .post || method == .put || method == .patch {
      appendField("Content-Length", String(body.count), to: &out)
    }
    endLine(&out)
    out.append(contentsOf: body)
    return out
  }

  /// `100 Continue`, complete.
  public static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  private static let ours = ["content-length", "transfer-encoding", "connection", "keep-alive", "date", "host"]

  private static func append(_ fields: HTTPFields, to out: inout [UInt8]) {
    for field in fields {
      guard HTTPFields.isValidName(field.name), !ours.contains(where: { HTTPFields.same($0, field.name) })
      else { continue }
      appendField(field.name, field.value, to: &out)
    }
  }

  private static func appendField(_ name: String, _ value: String, to out: inout [UInt8]) {
    append(name, to: &out)
    append(": ", to: &out)
    // A control character would end the line or the head: it becomes a space, whoever let it in.
    for byte in value.utf8 { out.append((byte < 0x20 && byte != 0x09) || byte == 0x7F ? 0x20 : byte) }
    endLine(&out)
  }

  private static func append(_ text: String, to out: inout [UInt8]) { out.append(contentsOf: text.utf8) }

  private static func append(_ text: StaticString, to out: inout [UInt8]) {
    text.withUTF8Buffer { out.append(contentsOf: $0) }
  }

  private static func endLine(_ out: inout [UInt8]) {
    out.append(0x0D)
    out.append(0x0A)
  }
}

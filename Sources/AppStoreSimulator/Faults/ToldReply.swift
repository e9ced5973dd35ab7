import HTTPTypes
import JSON

/// A reply whose every part was said by whoever ordered the fault: an error of Apple's, or what a gateway in between makes.
struct ToldReply: Equatable, Sendable {
  /// Longer ones show nothing that this does not.
  static let bodyCharactersMax = 100_000
  static let members = ["status", "errorCode", "errorMessage", "body", "retryAfter"]

  let status: Int
  let fields: HTTPFields
  let body: [UInt8]

  /// Reads `status`, and either `errorCode` and `errorMessage` or `body`, which is sent as it is.
  init(_ call: CallMembers) throws(ControlError) {
    guard let status = try call.integer("status", in: 200...599) else {
      throw .badRequest("status is missing: which one is to be replied, 200 to 599")
    }
    self.status = Int(status)
    let code = try call.integer("errorCode", in: 0 ... .max)
    let message = try call.text("errorMessage")
    var fields: HTTPFields = [:]
    if let given = call["body"] {
      guard let text = given.string, text.utf8.count <= Self.bodyCharactersMax else {
        throw .badRequest("body is no text of at most \(Self.bodyCharactersMax) bytes")
      }
      guard code == nil, message == nil else { throw .badRequest("body goes without errorCode and errorMessage") }
      body = Array(text.utf8)
      fields["Content-Type"] = "text/html"
    } else if code != nil || message != nil {
      var object: JSONObject = [:]
      object["errorCode"] = code.map { .number(JSONNumber($0)) }
      object["errorMessage"] = .string(message ?? "as ordered")
      body = JSONValue.object(object).bytes()
      fields["Content-Type"] = "application/json"
    } else {
      body = []
    }
    if let value = try call.text("retryAfter") {
      guard HTTPFields.isValidValue(value) else { throw .badRequest("retryAfter cannot stand in a header") }
      fields["Retry-After"] = value
    }
    self.fields = fields
  }

  var response: HTTPResponse { HTTPResponse(status: status, fields: fields, body: body) }
}

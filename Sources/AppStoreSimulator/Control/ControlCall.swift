import HTTPTypes
import JSON

/// One call of the control API.
struct ControlCall: Sendable {
  let request: HTTPRequest
  /// The named parts of its path.
  let parameters: [String: String]
  /// Given at once or later, once.
  let reply: @Sendable (HTTPResponse) -> Void

  /// The body's members.
  /// - Parameter known: nil takes any.
  func members(_ known: [String]? = nil) throws(ControlError) -> CallMembers {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(bytes: request.body) } catch {
      throw .badRequest("the body is no JSON: \(error)")
    }
    guard let object = value.object else { throw .badRequest("the body is not a JSON object") }
    let members = CallMembers(object)
    if let known { try members.refuseOthers(than: known) }
    return members
  }

  /// The transaction that a list is asked of; nil for all.
  func transactionOfQuery() throws(ControlError) -> String? {
    guard let items = request.target.queryItems, items.allSatisfy({ $0.name == "transactionId" }), items.count <= 1
    else { throw .badRequest("the query is nothing but one transactionId, or empty") }
    return items.first?.value
  }

  static func list(_ name: String, _ elements: [JSONValue]) -> HTTPResponse {
    .json(JSONValue.object([name: .array(elements)]).bytes())
  }
}

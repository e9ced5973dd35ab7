import JSON

/// One notification that was posted, and what became of it.
struct PostRecord: Equatable, Sendable {
  var notificationUUID: String?
  var notificationType: String?
  var subtype: String?
  var transactionId: String?
  /// Milliseconds since 1970 UTC.
  var postedAt: Int64
  /// What the receiver replied; nil where no reply came.
  var status: Int?
  /// Why no reply came.
  var error: String?

  var json: JSONValue {
    var object: JSONObject = ["postedAt": .number(JSONNumber(postedAt))]
    object["notificationUUID"] = notificationUUID.map(JSONValue.string)
    object["notificationType"] = notificationType.map(JSONValue.string)
    object["subtype"] = subtype.map(JSONValue.string)
    object["transactionId"] = transactionId.map(JSONValue.string)
    object["status"] = status.map { .number(JSONNumber(Int64($0))) }
    object["error"] = error.map(JSONValue.string)
    return .object(object)
  }
}

import AppStore
import JSON

/// One attempt to deliver a notification, in the words of Apple's notification history.
/// Source: App Store Server API, «sendAttemptItem».
struct DeliveryAttempt: Equatable, Sendable {
  /// Milliseconds since 1970 UTC.
  var attemptDate: Int64
  var result: SendAttemptResult
  /// nil where no reply came.
  var status: Int?
  /// Why no reply came.
  var error: String?
  /// The faults on order that applied.
  var faults: [String] = []

  /// As Apple's history tells it.
  var storeJSON: JSONValue {
    ["attemptDate": .number(JSONNumber(attemptDate)), "sendAttemptResult": .string(result.rawValue)]
  }

  var json: JSONValue {
    var object: JSONObject = [
      "attemptDate": .number(JSONNumber(attemptDate)), "sendAttemptResult": .string(result.rawValue),
    ]
    object["status"] = status.map { .number(JSONNumber(Int64($0))) }
    object["error"] = error.map(JSONValue.string)
    if !faults.isEmpty { object["faults"] = .array(faults.map(JSONValue.string)) }
    return .object(object)
  }
}

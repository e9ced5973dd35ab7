import AppStore
import JSON

/// One call of Send Consumption Information, and what it was answered.
struct AnswerRecord: Equatable, Sendable {
  /// A whole body has about 200 bytes.
  static let bodyBytesMax = 4096

  var transactionId: String
  /// Of the endpoint.
  var version: ConsumptionVersion
  /// Milliseconds since 1970 UTC.
  var receivedAt: Int64
  /// As it came, at most `bodyBytesMax` of it; what is not UTF-8 shows as U+FFFD.
  var body: String
  /// What the caller was answered, or would have been but for a fault; nil where the call was cut off before it was looked
  /// at.
  var status: Int?
  var error: StoreError?
  /// Why a token was refused, or what an accepted body probably does not mean.
  var remarks: [String] = []
  /// The faults on order that applied.
  var faults: [String] = []

  init(_ call: CallRecord, transactionId: String, version: ConsumptionVersion, body: String) {
    self.transactionId = transactionId
    self.version = version
    self.body = body
    receivedAt = call.receivedAt
    (status, error, remarks, faults) = (call.status, call.error, call.remarks, call.faults)
  }

  var json: JSONValue {
    var object: JSONObject = [
      "transactionId": .string(transactionId), "endpointVersion": .number(JSONNumber(version.rawValue)),
      "receivedAt": .number(JSONNumber(receivedAt)), "body": .string(body),
    ]
    object["status"] = status.map { .number(JSONNumber(Int64($0))) }
    if let error {
      object["errorCode"] = error.code.map { .number(JSONNumber($0)) }
      object["errorName"] = .string(error.name)
    }
    if !remarks.isEmpty { object["remarks"] = .array(remarks.map(JSONValue.string)) }
    if !faults.isEmpty { object["faults"] = .array(faults.map(JSONValue.string)) }
    return .object(object)
  }
}

import HTTPTypes
import JSON

/// One call of the App Store Server API, of whatever kind, and what it was answered.
struct CallRecord: Equatable, Sendable {
  /// A path of this length names everything there is.
  private static let targetCharactersMax = 500

  let call: StoreCall
  /// Path and query, as they came, at most `targetCharactersMax` of them.
  let target: String
  /// That the path names, at most 64 characters of it.
  let transactionId: String?
  /// Milliseconds since 1970 UTC.
  let receivedAt: Int64
  /// What the caller was answered, or would have been but for a fault; nil where the call was cut off before it was looked
  /// at.
  var status: Int?
  var error: StoreError?
  /// Why a token was refused, or what an accepted body probably does not mean.
  var remarks: [String] = []
  /// The faults on order that applied.
  var faults: [String] = []

  init(call: StoreCall, target: HTTPTarget, transactionId: String?, receivedAt: Int64) {
    self.call = call
    self.target = String(target.description.prefix(Self.targetCharactersMax))
    self.transactionId = transactionId.map { String($0.prefix(64)) }
    self.receivedAt = receivedAt
  }

  var json: JSONValue {
    var object: JSONObject = [
      "call": .string(call.rawValue), "target": .string(target), "receivedAt": .number(JSONNumber(receivedAt)),
    ]
    object["transactionId"] = transactionId.map(JSONValue.string)
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

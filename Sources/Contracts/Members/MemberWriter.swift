public import JSON

/// Collects the members of one object. Order does not matter: stored data has sorted keys.
public struct MemberWriter {
  public private(set) var members: JSONObject

  /// - Parameter additional: members of a newer release, written back as they came.
  init(additional: JSONObject) { members = additional }

  /// Puts nothing where there is nothing.
  mutating func put<Value: MemberValue>(_ name: String, _ value: Value?) {
    if let value { members[name] = value.json }
  }

  /// Puts a value that is JSON already.
  mutating func put(_ name: String, json: JSONValue) { members[name] = json }

  mutating func put(_ name: String, base64 bytes: [UInt8]?) {
    if let bytes { members[name] = .string(Base64.encode(bytes)) }
  }

  mutating func put(_ purchase: PurchaseKey) {
    put("environment", purchase.environment)
    put("transactionId", purchase.transactionID)
  }
}

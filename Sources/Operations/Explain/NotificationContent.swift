import AppStore
import Cryptography
import JSON

/// What a notification says, its inner tokens decoded in their places.
struct NotificationContent {
  let value: JSONValue
  /// Paths of members that this release does not know.
  let unknownMembers: [String]

  private static let slots = [
    ("data", "signedTransactionInfo"), ("data", "signedRenewalInfo"), ("appData", "signedAppTransactionInfo"),
  ]

  /// - Parameter payload: an outer payload, its inner tokens signed still or decoded already.
  init(_ payload: JSONView) {
    var value = JSONValue(payload)
    for (object, member) in Self.slots {
      guard let token = payload[object]?[member]?.string, let inner = Self.payload(of: token) else { continue }
      guard var part = value[object]?.object, var whole = value.object else { continue }
      part[member] = JSONValue(inner)
      whole[object] = .object(part)
      value = .object(whole)
    }
    self.value = value
    unknownMembers = Self.unknown(in: value)
  }

  /// Of a token that nobody has proven: what it claims.
  init?(unproven token: ArraySlice<UInt8>) {
    guard let payload = Self.payload(of: String(decoding: token, as: UTF8.self)), payload.kind == .object else {
      return nil
    }
    self.init(payload)
  }

  private static func payload(of token: String) -> JSONView? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(Array(parts[1].utf8))?.bytes else { return nil }
    return try? JSONDocument(bytes: bytes).root
  }

  private static func unknown(in value: JSONValue) -> [String] {
    guard let root = try? JSONDocument(bytes: value.bytes()).root else { return [] }
    var paths: [String] = []
    func add(_ members: [(key: String, value: JSONView)], _ prefix: String) { paths += members.map { prefix + $0.key } }
    let payload = ResponseBodyV2DecodedPayload(view: root)
    // A token that stands alone is a transaction, as a rule.
    if root["notificationType"] == nil {
      if root["transactionId"] != nil { add(JWSTransactionDecodedPayload(view: root).unknownMembers, "") }
      return paths
    }
    add(payload.unknownMembers, "")
    if let data = payload.data {
      add(data.unknownMembers, "data.")
      if let inner = data.view["signedTransactionInfo"], inner.kind == .object {
        add(JWSTransactionDecodedPayload(view: inner).unknownMembers, "data.signedTransactionInfo.")
      }
      if let inner = data.view["signedRenewalInfo"], inner.kind == .object {
        add(JWSRenewalInfoDecodedPayload(view: inner).unknownMembers, "data.signedRenewalInfo.")
      }
    }
    return paths
  }
}

import AppStore
import Cryptography
import JSON
import TestSupport

/// An authority of its own and the notifications it signs, for what no vector holds.
struct SignedStore: Sendable {
  static let now: Int64 = 1_796_000_000_000
  static let bundleID = "com.example.app"
  static let app = try! AppIdentity(bundleId: bundleID, appAppleId: nil, environments: [.sandbox])

  let authority = StandInAuthority(notBefore: 1_700_000_000_000, notAfter: 1_900_000_000_000)
  let signing: SigningIdentity
  let anchor: TrustAnchor
  let verifier: SignedDataVerifier

  init() {
    signing = authority.leaf(notBefore: 1_700_000_000_000, notAfter: 1_900_000_000_000)
    anchor = try! TrustAnchor(file: authority.root.der, source: "stand-in")
    verifier = SignedDataVerifier(anchors: [anchor])
  }

  /// A UUID with a number at its end.
  func uuid(_ number: Int) -> String {
    let digits = String(number)
    return "5a000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  func sign(_ payload: JSONValue) -> [UInt8] { signing.sign(payload.bytes()) }

  static func transaction(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
    var object: JSONObject = [
      "transactionId": "2000000000000001", "bundleId": .string(bundleID), "productId": "gems", "type": "Consumable",
      "environment": "Sandbox", "inAppOwnershipType": "PURCHASED", "signedDate": .number(JSONNumber(now)),
    ]
    change(&object)
    return .object(object)
  }

  func notification(
    type: String = "CONSUMPTION_REQUEST", subtype: String? = nil, uuid: String = "5a000000-0000-4000-8000-00000000000a",
    bundleID: String = bundleID, appAppleID: Int64? = nil, environment: String = "Sandbox",
    transaction: JSONValue? = transaction()
  ) -> JSONValue {
    var data: JSONObject = ["bundleId": .string(bundleID), "environment": .string(environment)]
    data["appAppleId"] = appAppleID.map { .number(JSONNumber($0)) }
    if let transaction { data["signedTransactionInfo"] = .string(String(decoding: sign(transaction), as: UTF8.self)) }
    var payload: JSONObject = [
      "notificationType": .string(type), "notificationUUID": .string(uuid), "data": .object(data), "version": "2.0",
      "signedDate": .number(JSONNumber(Self.now)),
    ]
    payload["subtype"] = subtype.map { .string($0) }
    return .object(payload)
  }

  /// Tokens that hold, and that cannot be made again from their decoded parts.
  func notCanonical() -> [(name: String, token: [UInt8])] {
    let plain = notification()
    // RFC 8259 §7: any character may be written as an escape; the string means the same. A token
    // begins with «e».
    let member = "\"signedTransactionInfo\":\""
    let parts = plain.text().split(separator: member + "e", maxSplits: 1)
    let escaped = parts[0] + member + "\\u0065" + parts[1]
    return [
      ("a token string with a backslash", signing.sign(escaped.utf8)),
      ("payload bits beyond the last byte", looseEnd(of: plain)),
    ]
  }

  /// A token whose payload's last character carries bits that mean nothing; signed so, hence
  /// genuine.
  private func looseEnd(of payload: JSONValue) -> [UInt8] {
    var bytes = payload.bytes()
    while bytes.count % 3 != 1 { bytes.append(UInt8(ascii: " ")) }
    let canonical = signing.sign(bytes)
    let parts = canonical.split(separator: UInt8(ascii: ".")).map(Array.init)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var loose = parts[1]
    loose[loose.count - 1] = alphabet[alphabet.firstIndex(of: loose.last!)! + 1]
    let signed = parts[0] + [UInt8(ascii: ".")] + loose
    return signed + [UInt8(ascii: ".")] + Base64URL.encodeBytes(signing.key.signature(for: signed))
  }
}

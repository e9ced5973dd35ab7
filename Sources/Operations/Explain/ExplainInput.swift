import Contracts
import JSON

/// What was given to `explain`: one of the forms in which a notification is met.
enum ExplainInput {
  /// Signed; `words` tell what it stood in.
  case token(ArraySlice<UInt8>, Container, words: String)
  /// Decoded, so that no signature is left in it; the log may have the signed form under the UUID.
  case decoded(JSONView, uuid: String?, words: String)
  /// Neither: the receiver is asked what it would say to the bytes as they are.
  case other(words: String)

  static let bytesMax = 4 << 20

  /// What a token stood in.
  enum Container { case nothing, body }

  init(_ bytes: [UInt8]) {
    let text = Self.trimmed(bytes)
    guard text.first == UInt8(ascii: "{") else {
      self = .token(text, .nothing, words: "a bare token of \(text.count) bytes")
      return
    }
    let root: JSONView
    do throws(JSONError) { root = try JSONDocument(bytes: bytes).root } catch {
      self = .other(words: "\(bytes.count) bytes that are no JSON: \(error)")
      return
    }
    if let token = root["signedPayload"]?.stringBytes {
      self = .token(token, .body, words: "a body of \(bytes.count) bytes with a token of \(token.count)")
    } else if root["specversion"] != nil, let data = root["data"], let notification = data["notification"] {
      self = .decoded(notification, uuid: Self.uuid(of: notification), words: "an event of our log, as CloudEvent")
    } else if root["firstReceivedAt"] != nil, let notification = root["notification"] {
      self = .decoded(notification, uuid: Self.uuid(of: notification), words: "the data of an event of our log")
    } else if root["notificationType"] != nil {
      self = .decoded(root, uuid: Self.uuid(of: root), words: "a decoded notification, without its signature")
    } else {
      self = .other(words: "a JSON object that holds no signed payload")
    }
  }

  private static func uuid(of notification: JSONView) -> String? { notification["notificationUUID"]?.string }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return bytes[first...last]
  }
}

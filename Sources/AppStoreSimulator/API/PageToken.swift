import AppStore
import Cryptography
import HTTPTypes
import JSON

/// What leads from one page to the next: where it goes on, and a digest of the question, which must be asked again word for
/// word. Opaque for the caller, like Apple's.
struct PageToken: Equatable, Sendable {
  /// How long Apple's are good is not documented.
  static let lifeMilliseconds: Int64 = 86_400_000

  /// The element after which it goes on, by what the list is ordered by.
  let after: Int64
  let id: String
  let question: String
  let expiresAt: Int64

  init(after: Int64, id: String, question: [UInt8], now: Int64) {
    self.after = after
    self.id = id
    self.question = Self.digest(question)
    expiresAt = now + Self.lifeMilliseconds
  }

  /// nil where it is none of ours, or belongs to another question.
  init?(_ text: String, question: [UInt8]) {
    guard let bytes = Base64URL.decode(text)?.bytes, let value = try? JSONValue(bytes: bytes),
      let after = value["a"]?.int64, let id = value["i"]?.string, let expiresAt = value["x"]?.int64,
      value["q"]?.string == Self.digest(question)
    else { return nil }
    self.after = after
    self.id = id
    self.question = Self.digest(question)
    self.expiresAt = expiresAt
  }

  var text: String {
    let value: JSONValue = [
      "a": .number(JSONNumber(after)), "i": .string(id), "q": .string(question), "x": .number(JSONNumber(expiresAt)),
    ]
    return Base64URL.encode(value.bytes())
  }

  private static func digest(_ question: [UInt8]) -> String {
    String(SHA256.digest(of: question).hex.prefix(16))
  }
}

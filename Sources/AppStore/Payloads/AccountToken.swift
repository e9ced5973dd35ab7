/// `appAccountToken` as apps write it: a UUID in either case, or all zeros for «none».
enum AccountToken {
  private static let none = "00000000-0000-0000-0000-000000000000"

  /// Lower case, so that two spellings are one customer; nil for none.
  static func normalized(_ token: String?) -> String? {
    guard let token, !token.isEmpty else { return nil }
    // ASCII letters only: a token is hashed by its bytes, and other letters have more than one lower case.
    let lower = String(
      decoding: token.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }, as: UTF8.self)
    return lower == none ? nil : lower
  }
}

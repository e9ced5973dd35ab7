/// `appAccountToken` as apps write it: a UUID in either case, or all zeros for «none».
public enum AccountToken {
  private static let none = "00000000-0000-0000-0000-000000000000"

  /// Lower case, so that two spellings are one customer; nil for none.
  static func normalized(_ token: String?) -> String? {
    guard let token, !token.isEmpty else { return nil }
    // ASCII letters only: a token is hashed by its bytes, and other letters have more than one lower case.
    let lower = String(
      decoding: token.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }, as: UTF8.self)
    return lower == none ? nil : lower
  }

  /// 36 characters in five groups of hexadecimal digits.
  public static func isUUID(_ token: String) -> Bool {
    let groups = token.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { group in
        group.allSatisfy { byte in
          (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
            || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
        }
      }
  }
}

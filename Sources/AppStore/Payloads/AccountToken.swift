/// `appAccountToken` as apps write it: a UUID in either case, or all zeros for «none».
enum AccountToken {
  private static let none = "00000000-0000-0000-0000-000000000000"

  /// Lower case, so that two spellings are one customer; nil for none.
  static func normalized(_ token: String?) -> String? {
    guard let token, !token.isEmpty else { return nil }
    let lower = token.lowercased()
    return lower == none ? nil : lower
  }
}

/// Case of ASCII letters only, the same in every locale and for every release of Unicode.
public enum LowerCase {
  /// The text with A to Z lower-cased and every other byte as it was; for UUIDs and account tokens.
  public static func ascii(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

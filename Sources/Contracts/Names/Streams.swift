/// Names of streams (FORMAT, «Columns»). Stream names can never be erased, so none holds an account token.
public enum Streams {
  /// What concerns the log itself.
  public static let log = "log"

  /// `app/<bundleId>`.
  public static func app(_ bundleID: String) -> String { "app/\(bundleID)" }

  /// `customer/<pseudonym>`.
  /// - Parameter pseudonym: 64 lower-case hex digits, as the column `customer` holds them.
  /// - Precondition: it is that; anything else might be a token.
  public static func customer(_ pseudonym: String) -> String {
    precondition(HexDigits.areDigest(pseudonym), "a customer stream is named by 64 hex digits, never by a token")
    return "customer/\(pseudonym)"
  }

  /// `alarm/<name>`.
  public static func alarm(_ name: String) -> String { "alarm/\(name)" }

  /// `purchase/<environment>/<transactionId>`.
  public static func purchase(_ key: PurchaseKey) -> String { key.stream }
}

/// One transaction in one environment: what a case is about, and what its stream is called.
public struct PurchaseKey: Sendable, Hashable, CustomStringConvertible {
  /// As Apple spells it: `Production`, `Sandbox`, or one this release does not know.
  public let environment: String
  /// Apple's `transactionId`: digits as a rule, treated as text.
  public let transactionID: String

  /// - Throws: `PurchaseKeyError` where a part is not 1 to 64 ASCII letters, digits, `-` or `_` (it becomes part
  ///   of streams, ids and paths), or where a known environment is spelled another way than Apple's.
  public init(environment: String, transactionID: String) throws(PurchaseKeyError) {
    guard Self.isSafe(environment) else { throw .environment(environment, allowed: Self.safeWords) }
    if !Self.spellings.contains(environment),
      let spelling = Self.spellings.first(where: { $0.lowercased() == environment.lowercased() })
    {
      throw .environment(environment, allowed: "\(spelling), spelled so")
    }
    guard Self.isSafe(transactionID) else { throw .transactionID(transactionID, allowed: Self.safeWords) }
    self.environment = environment
    self.transactionID = transactionID
  }

  /// Reads a stream name back; nil where it is not a purchase's.
  public init?(stream: String) {
    let utf8 = stream.utf8
    guard utf8.starts(with: Self.prefix.utf8) else { return nil }
    let rest = utf8.dropFirst(Self.prefix.utf8.count)
    // A second slash is no part of an id.
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
      let key = try? Self(
        environment: String(stream[rest.startIndex..<slash]),
        transactionID: String(stream[utf8.index(after: slash)...]))
    else { return nil }
    self = key
  }

  /// `purchase/<environment>/<transactionId>`.
  public var stream: String { Self.prefix + path }

  public var description: String { path }

  /// `<environment>/<transactionId>`, as ids hold it.
  var path: String { environment + "/" + transactionID }

  private static let prefix = "purchase/"
  private static let spellings = ["Production", "Sandbox", "Xcode", "LocalTesting"]
  private static let safeWords = "1 to 64 ASCII letters, digits, - or _"

  private static func isSafe(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

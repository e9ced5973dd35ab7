/// One page of a reply.
public protocol AppStorePage: Sendable {
  var hasMore: Bool { get }
  /// Asks for the next page; nil where Apple gave none.
  var next: String? { get }
  /// How many elements it has.
  var count: Int { get }
}

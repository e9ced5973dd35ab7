/// A call whose reply comes in pages: the same question again, with what the page before gave for the next.
public protocol PagedAppStoreCall: AppStoreCall where Reply: AppStorePage {
  /// What the page before gave; nil asks for the first.
  var page: String? { get }

  /// The same question for another page.
  func at(page: String?) throws(AppStoreCallError) -> Self
}

import Cryptography

/// Walks through the pages of one question. A value: it says which call comes next and is told what came; sending is
/// somebody else's.
///
/// It ends however Apple behaves: a page that says there is more and does not lead on, or leads back to an earlier one, stops
/// it; so do too many pages, and too many that are empty. A token that has expired leads back to the start, a few times.
public struct AppStorePaging<Call: PagedAppStoreCall>: Sendable {
  public enum End: Sendable, Hashable {
    /// All pages were read.
    case all
    /// There is more, and no way to ask for it.
    case noWayOn
    /// The next page is one that was read already.
    case roundInCircles
    case tooManyPages(Int)
    case tooManyEmptyPages(Int)
    /// Page tokens ran out too often.
    case startedAgainTooOften(Int)
  }

  /// Empty pages in a row that are believed.
  public static var emptyPagesMax: Int { 10 }
  /// How often it begins again after an expired token.
  public static var startsMax: Int { 3 }

  /// What to ask next; nil when it has ended.
  public private(set) var next: Call?
  /// Why it has ended; nil while there is something to ask.
  public private(set) var end: End?
  /// What the last page gave for the next; to be kept where a later question may begin there.
  public private(set) var last: String?
  public let pagesMax: Int
  private let first: Call
  private var pages = 0
  private var emptyPages = 0
  private var starts = 1
  /// The beginnings of digests of the tokens of this walk.
  private var seen: Set<UInt64> = []

  /// - Parameter call: for the first page, or for one that was kept.
  public init(_ call: Call, pagesMax: Int = 100_000) {
    first = call
    next = call
    last = call.page
    self.pagesMax = pagesMax
    note(call.page)
  }

  /// Takes the page that `next` asked for.
  public mutating func took(_ page: Call.Reply) {
    guard let asked = next else { return }
    pages += 1
    emptyPages = page.count == 0 ? emptyPages + 1 : 0
    if let next = page.next { last = next }
    guard page.hasMore else { return stop(.all) }
    guard let token = page.next, token != asked.page else { return stop(.noWayOn) }
    guard note(token) else { return stop(.roundInCircles) }
    guard pages < pagesMax else { return stop(.tooManyPages(pagesMax)) }
    guard emptyPages < Self.emptyPagesMax else { return stop(.tooManyEmptyPages(Self.emptyPagesMax)) }
    do throws(AppStoreCallError) { next = try asked.at(page: token) } catch { stop(.noWayOn) }
  }

  /// Takes a failure that a mended call may overcome: token or revision no longer count, so it begins again without. What was
  /// read comes a second time.
  /// - Returns: whether there is something to ask now.
  public mutating func failed(_ failure: AppStoreFailure) -> Bool {
    guard case .fixAndSend(.startAgain) = failure.kind, let asked = next, asked.page != nil else { return false }
    guard starts < Self.startsMax else {
      stop(.startedAgainTooOften(starts))
      return false
    }
    starts += 1
    seen = []
    emptyPages = 0
    do throws(AppStoreCallError) { next = try first.at(page: nil) } catch {
      stop(.noWayOn)
      return false
    }
    last = nil
    return true
  }

  private mutating func stop(_ end: End) {
    self.end = end
    next = nil
  }

  /// - Returns: false where it was there already.
  @discardableResult
  private mutating func note(_ token: String?) -> Bool {
    guard let token else { return true }
    let digest = SHA256.digest(of: token.utf8).bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return seen.insert(digest).inserted
  }
}

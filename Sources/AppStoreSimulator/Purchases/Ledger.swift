import AppStore
import JSON
import Service

/// What the simulator knows: purchases, answers it was sent, notifications it posted. In memory alone, and bounded.
final class Ledger: Sendable {
  /// Of answers and of notifications; the oldest go.
  static let recordsMax = 10_000
  /// Of signed bodies, which have 20 KB each.
  static let bodiesMax = 200

  /// What was posted, to be posted again by hand.
  struct SignedBody: Sendable {
    var notificationUUID: String
    var bytes: [UInt8]
  }

  private struct State {
    var book = Book()
    var answers = Recent<AnswerRecord>(max: Ledger.recordsMax)
    var posts = Recent<PostRecord>(max: Ledger.recordsMax)
    var bodies = Recent<SignedBody>(max: Ledger.bodiesMax)
  }

  private let state = Monitor(State())

  /// Several looks and changes as one.
  func edit<Result: Sendable>(_ body: @Sendable (inout Book) -> Result) -> Result {
    state.withLock { body(&$0.book) }
  }

  func purchase(_ transactionId: String) -> Purchase? { state.withLock { $0.book[transactionId] } }

  /// Whether some purchase names this as its app transaction.
  func isAppTransactionId(_ id: String) -> Bool { state.withLock { $0.book.hasAppTransaction(id) } }

  /// Keeps a purchase, in place of an earlier one of this id.
  /// - Returns: whether there was none.
  @discardableResult
  func register(_ purchase: Purchase) throws(ControlError) -> Bool {
    guard let isNew = edit({ $0.register(purchase) }) else {
      throw .tooMany("there are \(Book.purchasesMax) purchases, which is all it keeps: start the simulator again")
    }
    return isNew
  }

  // MARK: Records

  func keep(_ body: SignedBody) { state.withLock { _ = $0.bodies.append(body) } }

  /// The newest body of a notification; nil where it has gone, or never was.
  func body(of notificationUUID: String) -> [UInt8]? {
    state.withLock { $0.bodies.all.last { $0.notificationUUID == notificationUUID }?.bytes }
  }

  func note(_ answer: AnswerRecord) { state.withLock { _ = $0.answers.append(answer) } }

  /// - Returns: the record's number.
  func note(_ post: PostRecord) -> Int { state.withLock { $0.posts.append(post) } }

  /// Changes the record of a notification unless it has gone.
  /// - Returns: it, changed.
  @discardableResult
  func change(post number: Int, _ body: @Sendable (inout PostRecord) -> Void) -> PostRecord? {
    state.withLock { $0.posts.change(number, body) }
  }

  /// Oldest first; of one purchase, or all.
  func answers(of transactionId: String?) -> [AnswerRecord] {
    let all = state.withLock { $0.answers.all }
    return transactionId.map { id in all.filter { $0.transactionId == id } } ?? all
  }

  /// Oldest first; of one purchase, or all.
  func posts(of transactionId: String? = nil) -> [PostRecord] {
    let all = state.withLock { $0.posts.all }
    return transactionId.map { id in all.filter { $0.transactionId == id } } ?? all
  }
}

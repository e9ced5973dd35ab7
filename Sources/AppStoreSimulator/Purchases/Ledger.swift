import AppStore
import JSON
import Service

/// What the simulator knows: purchases, calls and answers it was sent, notifications it posted. In memory alone, and bounded.
final class Ledger: Sendable {
  /// Of calls, of answers and of notifications; the oldest go.
  static let recordsMax = 10_000
  static let testsMax = 1000

  /// A notification with its token, for as long as both are kept.
  struct HistoryEntry: Sendable {
    /// Rises with the instant of posting.
    var number: Int
    var post: PostRecord
    var token: KeptToken
  }

  private struct State {
    var book = Book()
    var answers = Recent<AnswerRecord>(max: Ledger.recordsMax)
    var calls = Recent<CallRecord>(max: Ledger.recordsMax)
    var posts = Recent<PostRecord>(max: Ledger.recordsMax)
    var tokens = KeptTokens(max: Ledger.recordsMax)
    var tests = Recent<TestRecord>(max: Ledger.testsMax)
  }

  private let state = Monitor(State())

  /// Several looks and changes as one.
  func edit<Result: Sendable>(_ body: @Sendable (inout Book) -> Result) -> Result {
    state.withLock { body(&$0.book) }
  }

  func purchase(_ transactionId: String) -> Purchase? { state.withLock { $0.book[transactionId] } }

  /// One that a caller may know of: of its app, and of the environment it calls.
  func purchase(_ transactionId: String, of caller: StoreGate.Caller) -> Purchase? {
    purchase(transactionId).flatMap { caller.mayKnow($0) ? $0 : nil }
  }

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

  /// Keeps the token of a notification for the history.
  /// - Parameter number: of its record.
  func keep(_ token: KeptToken, number: Int) { state.withLock { $0.tokens.keep(token, number: number) } }

  /// Oldest first; those whose token has gone are not in it.
  func history() -> [HistoryEntry] {
    state.withLock { state in
      state.posts.numbered.compactMap { number, post in
        state.tokens[number].map { HistoryEntry(number: number, post: post, token: $0) }
      }
    }
  }

  /// The newest of that UUID.
  func history(of notificationUUID: String) -> HistoryEntry? {
    history().last { $0.post.notificationUUID == notificationUUID }
  }

  /// The exact body of the newest notification of that UUID; nil where it has gone, or never was.
  func body(of notificationUUID: String) -> [UInt8]? {
    history(of: notificationUUID).map { entry in
      JSONValue.object(["signedPayload": .string(String(decoding: entry.token.token, as: UTF8.self))]).bytes()
    }
  }

  func keep(_ test: TestRecord) { state.withLock { _ = $0.tests.append(test) } }

  func test(_ token: String) -> TestRecord? { state.withLock { $0.tests.all.last { $0.token == token } } }

  func order(_ id: String) -> [String]? { state.withLock { $0.book.order(id) } }

  func note(_ answer: AnswerRecord) { state.withLock { _ = $0.answers.append(answer) } }

  /// Number of the next answer.
  var nextAnswer: Int { state.withLock { ($0.answers.numbered.last?.number ?? -1) + 1 } }

  /// Whether an answer about a purchase was accepted, from that number on.
  func isAnswered(_ transactionId: String, from number: Int) -> Bool {
    state.withLock { state in
      state.answers.numbered.contains { found, answer in
        found >= number && answer.transactionId == transactionId && answer.status == 202
      }
    }
  }

  func note(_ call: CallRecord) { state.withLock { _ = $0.calls.append(call) } }

  /// Oldest first; of one purchase, or all.
  func calls(of transactionId: String?) -> [CallRecord] {
    let all = state.withLock { $0.calls.all }
    return transactionId.map { id in all.filter { $0.transactionId == id } } ?? all
  }

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

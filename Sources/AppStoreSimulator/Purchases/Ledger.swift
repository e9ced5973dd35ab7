import AppStore
import JSON
import Service

/// What the simulator knows: purchases, answers it was sent, notifications it posted. In memory alone, and bounded.
final class Ledger: Sendable {
  static let purchasesMax = 100_000
  /// Of answers and of notifications; the oldest go.
  static let recordsMax = 10_000

  private struct State {
    var purchases: [String: Purchase] = [:]
    var appTransactionIds: Set<String> = []
    var answers = Recent<AnswerRecord>(max: Ledger.recordsMax)
    var posts = Recent<PostRecord>(max: Ledger.recordsMax)
    var decisions = 0
  }

  private let state = Monitor(State())

  func purchase(_ transactionId: String) -> Purchase? { state.withLock { $0.purchases[transactionId] } }

  /// Whether some purchase names this as its app transaction.
  func isAppTransactionId(_ id: String) -> Bool { state.withLock { $0.appTransactionIds.contains(id) } }

  /// Keeps a purchase, in place of an earlier one of this id.
  /// - Returns: whether there was none.
  @discardableResult
  func register(_ purchase: Purchase) throws(ControlError) -> Bool {
    let isNew: Bool? = state.withLock { state in
      let isNew = state.purchases[purchase.transactionId] == nil
      guard !isNew || state.purchases.count < Self.purchasesMax else { return nil }
      // Customers are not counted: a purchase that was replaced leaves no app transaction behind.
      if let old = state.purchases[purchase.transactionId]?.appTransactionId { state.appTransactionIds.remove(old) }
      state.purchases[purchase.transactionId] = purchase
      if let id = purchase.appTransactionId { state.appTransactionIds.insert(id) }
      return isNew
    }
    guard let isNew else {
      throw .tooMany("there are \(Self.purchasesMax) purchases, which is all it keeps: start the simulator again")
    }
    return isNew
  }

  /// Changes a purchase that is there.
  /// - Returns: it, changed; nil when it is not there.
  func change(_ transactionId: String, _ body: (inout Purchase) -> Void) -> Purchase? {
    state.withLock { state in
      guard var purchase = state.purchases[transactionId] else { return nil }
      body(&purchase)
      state.purchases[transactionId] = purchase
      return purchase
    }
  }

  /// Lets an automatic decision be awaited, unless one is already.
  /// - Returns: its number.
  func awaitDecision(_ transactionId: String) -> Int? {
    state.withLock { state in
      guard state.purchases[transactionId]?.awaitedDecision == nil else { return nil }
      state.decisions += 1
      state.purchases[transactionId]?.awaitedDecision = state.decisions
      return state.decisions
    }
  }

  func note(_ answer: AnswerRecord) { state.withLock { $0.answers.append(answer) } }
  func note(_ post: PostRecord) { state.withLock { $0.posts.append(post) } }

  /// Oldest first; of one purchase, or all.
  func answers(of transactionId: String?) -> [AnswerRecord] {
    let all = state.withLock { $0.answers.all }
    return transactionId.map { id in all.filter { $0.transactionId == id } } ?? all
  }

  /// Oldest first.
  func posts() -> [PostRecord] { state.withLock { $0.posts.all } }
}

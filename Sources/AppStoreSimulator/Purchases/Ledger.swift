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
    var plans = 0
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

  /// Opens a refund request, in place of an earlier one.
  /// - Parameter isTimed: whether a decision is planned in case no answer comes.
  /// - Returns: the number of that plan; nil without one, or where the purchase is not there.
  func openRequest(_ transactionId: String, isTimed: Bool) -> Int? {
    state.withLock { state in
      guard state.purchases[transactionId] != nil else { return nil }
      state.plans += isTimed ? 1 : 0
      state.purchases[transactionId]?.state = isTimed ? .unanswered(plan: state.plans) : .open
      return isTimed ? state.plans : nil
    }
  }

  /// Plans the decision that follows an accepted answer, unless an earlier answer has done so or Apple has decided.
  /// - Returns: the number of the plan.
  func planDecision(_ transactionId: String) -> Int? {
    state.withLock { state in
      switch state.purchases[transactionId]?.state {
      case .answered, .decided, nil: return nil
      case .open, .unanswered:
        state.plans += 1
        state.purchases[transactionId]?.state = .answered(plan: state.plans)
        return state.plans
      }
    }
  }

  /// Changes a purchase whose plan of this number is still to be carried out.
  /// - Returns: it, changed; nil when something else has happened meanwhile.
  func carryOut(plan: Int, of transactionId: String, _ body: (inout Purchase) -> Void) -> Purchase? {
    state.withLock { state in
      guard var purchase = state.purchases[transactionId], purchase.state.awaits(plan) else { return nil }
      body(&purchase)
      state.purchases[transactionId] = purchase
      return purchase
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

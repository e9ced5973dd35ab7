import AppStore
import HTTPTypes
import JSON

/// Get Notification History: what was posted and tried, with each attempt, oldest first. What was never tried is not in it;
/// with onlyFailures, entries stay although a later attempt succeeded.
/// Source: App Store Server API, «Get Notification History».
struct NotificationHistoryEndpoint: Sendable {
  private static let day: Int64 = 86_400_000

  let finder: PurchaseFinder

  private struct Question {
    var from: Int64
    var to: Int64
    var type: String?
    var subtype: String?
    var transactionId: String?
    var onlyFailures: Bool

    /// - Parameter ids: the transactions that are asked about; nil for all.
    func fits(_ post: PostRecord, _ ids: Set<String>?, _ caller: StoreGate.Caller) -> Bool {
      guard post.app == caller.app, post.environment == caller.environment, !post.attempts.isEmpty else { return false }
      // An end that lies before the start is no range: the start may be in the future.
      guard post.postedAt >= from, post.postedAt <= to else { return false }
      if let type, post.notificationType != type || post.subtype != subtype { return false }
      if let ids, !ids.contains(post.transactionId ?? "") { return false }
      return !onlyFailures || post.attempts.contains { $0.result != .success }
    }
  }

  func answer(_ request: HTTPRequest, _ caller: StoreGate.Caller) throws(StoreError) -> HTTPResponse {
    let question = try Self.question(request.body, caller)
    var from: Int64 = -1
    if let text = try StoreQuery(request.target)["paginationToken"] {
      guard let token = PageToken(text, question: request.body) else { throw .invalidPaginationToken }
      guard token.expiresAt > caller.now else { throw .paginationTokenExpired }
      from = token.after
    }
    var ids: Set<String>?
    if let id = question.transactionId {
      let purchase = try finder.purchase(id, of: caller, missing: .transactionIdNotFound)
      ids = Set(finder.purchases(ofCustomerOf: purchase).map(\.transactionId))
    }
    let list = finder.ledger.history().filter { question.fits($0.post, ids, caller) }
    let page = StorePage(of: list) { Int64($0.number) > from }
    var reply: JSONObject = [
      "notificationHistory": .array(page.elements.map(Self.json)), "hasMore": .bool(page.hasMore),
    ]
    if page.hasMore, let last = page.elements.last {
      let token = PageToken(after: Int64(last.number), id: "", question: request.body, now: caller.now)
      reply["paginationToken"] = .string(token.text)
    }
    return .json(JSONValue.object(reply).bytes())
  }

  static func json(_ entry: Ledger.HistoryEntry) -> JSONValue {
    [
      "signedPayload": .string(String(decoding: entry.token.token, as: UTF8.self)),
      "sendAttempts": .array(entry.post.attempts.map(\.storeJSON)),
    ]
  }

  private static func question(_ body: [UInt8], _ caller: StoreGate.Caller) throws(StoreError) -> Question {
    guard let value = try? JSONValue(bytes: body), let object = value.object else { throw .malformedBody }
    guard let from = object["startDate"]?.int64, from >= 0 else { throw .invalidStartDate }
    guard let to = object["endDate"]?.int64, to >= 0 else { throw .invalidEndDate }
    guard from <= to else { throw .startDateAfterEndDate }
    let kept = caller.environment == .production ? 180 * day : 30 * day
    guard from >= caller.now - kept else { throw .startDateTooFarInPast }
    func text(_ key: String) throws(StoreError) -> String? {
      guard let value = object[key], !value.isNull else { return nil }
      guard let text = value.string else {
        throw key == "transactionId" ? .invalidTransactionId : .invalidNotificationType
      }
      return text
    }
    let (type, subtype) = (try text("notificationType"), try text("notificationSubtype"))
    let id = try text("transactionId")
    guard type == nil || id == nil else { throw .multipleFiltersSupplied }
    if type != nil || subtype != nil {
      guard let type, (try? EventKind.of(type: type, subtype: subtype)) != nil else { throw .invalidNotificationType }
    }
    return Question(
      from: from, to: min(to, caller.now), type: type, subtype: subtype, transactionId: id,
      onlyFailures: object["onlyFailures"]?.bool ?? false)
  }
}

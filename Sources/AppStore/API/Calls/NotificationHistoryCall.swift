public import HTTPTypes
import JSON

/// Get Notification History: what Apple tried to post to this server, 20 on a page, each with its attempts.
///
/// Every page is asked for with the same body. The record shows the state at the time of sending; a notification that was
/// never tried, as where no URL was set, is not in it; with `onlyFailures`, entries stay although a later attempt
/// succeeded. Source: App Store Server API, «Get Notification History».
public struct NotificationHistoryCall: PagedAppStoreCall {
  private static let day: Int64 = 86_400_000

  /// How far back Apple keeps it, in milliseconds.
  public static func windowMilliseconds(in environment: ServerEnvironment) -> Int64 {
    environment == .production ? 180 * day : 30 * day
  }

  /// What is asked for beside the time.
  public enum Subject: Sendable, Hashable {
    case all
    case type(NotificationType, Subtype? = nil)
    case transaction(String)
  }

  /// Milliseconds since 1970 UTC; an end in the future is now.
  public let startDate: Int64
  public let endDate: Int64
  public let subject: Subject
  public let onlyFailures: Bool
  /// The token that the page before gave.
  public let page: String?

  public init(
    startDate: Int64, endDate: Int64, subject: Subject = .all, onlyFailures: Bool = false, page: String? = nil
  ) throws(AppStoreCallError) {
    try AppStoreCallError.check(start: startDate, end: endDate)
    try AppStoreCallError.check(page: page)
    if case .transaction(let id) = subject { try AppStoreCallError.check(transactionId: id) }
    self.startDate = startDate
    self.endDate = endDate
    self.subject = subject
    self.onlyFailures = onlyFailures
    self.page = page
  }

  public func at(page: String?) throws(AppStoreCallError) -> NotificationHistoryCall {
    try NotificationHistoryCall(
      startDate: startDate, endDate: endDate, subject: subject, onlyFailures: onlyFailures, page: page)
  }

  public var kind: AppStoreCallKind { .notificationHistory }
  public var method: HTTPMethod { .post }

  public var target: String {
    var query = QueryText()
    query.add("paginationToken", page)
    return "/inApps/v1/notifications/history" + query.text
  }

  public var body: [UInt8] {
    var object: JSONObject = [
      "startDate": .number(JSONNumber(startDate)), "endDate": .number(JSONNumber(endDate)),
    ]
    switch subject {
    case .all: break
    case .type(let type, let subtype):
      object["notificationType"] = .string(type.rawValue)
      object["notificationSubtype"] = subtype.map { .string($0.rawValue) }
    case .transaction(let id): object["transactionId"] = .string(id)
    }
    if onlyFailures { object["onlyFailures"] = true }
    return JSONValue.object(object).bytes()
  }

  public struct Entry: Sendable, Hashable {
    /// As it was posted, to be verified like any other.
    public let signedPayload: String
    /// As Apple tells them.
    public let sendAttempts: [SendAttempt]
  }

  public struct Page: AppStorePage {
    public let entries: [Entry]
    public let hasMore: Bool
    public let paginationToken: String?

    public var next: String? { paginationToken }
    public var count: Int { entries.count }
  }

  public func reply(_ body: [UInt8]) throws(AppStoreReplyFault) -> Page {
    let reader = try AppStoreReplyReader(body)
    let entries = try reader.parts("notificationHistory") { (part) throws(AppStoreReplyFault) in
      Entry(
        signedPayload: try part.text("signedPayload"),
        sendAttempts: try part.parts("sendAttempts") { (attempt) throws(AppStoreReplyFault) in
          try SendAttempt(attempt)
        })
    }
    return Page(
      entries: entries, hasMore: try reader.flag("hasMore"), paginationToken: try reader.token("paginationToken"))
  }
}

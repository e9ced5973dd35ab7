import AppStore
import JSON

/// One notification that was posted, with every attempt to deliver it.
struct PostRecord: Equatable, Sendable {
  /// Of these the newest are kept: copies on order are attempts too.
  static let attemptsMax = 200

  var notificationUUID: String?
  var notificationType: String?
  var subtype: String?
  var transactionId: String?
  /// The app and the environment that it is about, for the history.
  var app: String?
  var environment: ServerEnvironment
  /// When it was signed for posting, milliseconds since 1970 UTC.
  var postedAt: Int64
  /// Oldest first.
  private(set) var attempts: [DeliveryAttempt] = []
  /// When it is tried again by itself; nil for never.
  var nextAttemptAt: Int64?
  /// The faults on order that put it off.
  var faults: [String] = []
  /// Why nothing was tried, or why it is not tried again.
  var note: String?

  init(
    notificationUUID: String?, notificationType: String?, subtype: String?, transactionId: String?, app: String?,
    environment: ServerEnvironment, postedAt: Int64
  ) {
    self.notificationUUID = notificationUUID
    self.notificationType = notificationType
    self.subtype = subtype
    self.transactionId = transactionId
    self.app = app
    self.environment = environment
    self.postedAt = postedAt
  }

  mutating func note(_ made: [DeliveryAttempt]) { attempts = (attempts + made).suffix(Self.attemptsMax) }

  /// Whether any attempt was acknowledged.
  var isTaken: Bool { attempts.contains { $0.result == .success } }
  /// What the receiver replied last; nil where no reply came.
  var status: Int? { attempts.last?.status }
  /// Why no reply came.
  var error: String? { attempts.isEmpty ? note : attempts.last?.error }

  var json: JSONValue {
    var object: JSONObject = ["postedAt": .number(JSONNumber(postedAt))]
    object["notificationUUID"] = notificationUUID.map(JSONValue.string)
    object["notificationType"] = notificationType.map(JSONValue.string)
    object["subtype"] = subtype.map(JSONValue.string)
    object["transactionId"] = transactionId.map(JSONValue.string)
    object["status"] = status.map { .number(JSONNumber(Int64($0))) }
    object["error"] = error.map(JSONValue.string)
    object["sendAttempts"] = .array(attempts.map(\.json))
    object["nextAttemptDate"] = nextAttemptAt.map { .number(JSONNumber($0)) }
    if !faults.isEmpty { object["faults"] = .array(faults.map(JSONValue.string)) }
    if !attempts.isEmpty { object["note"] = note.map(JSONValue.string) }
    return .object(object)
  }
}

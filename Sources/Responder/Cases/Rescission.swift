import AppStore
import Contracts
import EventLog
import JSON

/// That a parent took back consent to a child's use of an app (RESCIND_CONSENT): it stands for everything that was bought
/// under that app transaction. It is no refund, and not the customer's own word on sharing data; nothing is said to Apple
/// on the strength of an older one.
struct Rescission: Codable, Equatable, Sendable {
  var environment: String
  var appTransactionID: String
  var signedAt: Int64
  /// Id of the notification's event.
  var event: String

  /// The one kind of notification without a purchase that changes what is said about purchases.
  static let kind = NotificationType.rescindConsent.rawValue

  /// nil where the event is none, was erased, or names no app transaction.
  init?(_ event: RecordedEvent, by upcasters: Upcasters = .released) throws(ContractError) {
    guard event.type == EventType.notificationReceived.rawValue, let data = event.data,
      event.kind?.prefix(while: { $0 != "/" }) ?? "" == Self.kind
    else { return nil }
    let notification = try NotificationReceived(data: data, schema: event.schema, upcasters: upcasters)
    let transaction = notification.notification["appData"]?["signedAppTransactionInfo"]
      .map(AppTransactionDecodedPayload.init)
    guard let id = transaction?.appTransactionId else { return nil }
    environment = notification.environment
    appTransactionID = id
    signedAt = notification.signedDate
    self.event = event.id.text
  }

  /// As it is kept in the projection.
  init(environment: String, appTransactionID: String, signedAt: Int64, event: String) {
    self.environment = environment
    self.appTransactionID = appTransactionID
    self.signedAt = signedAt
    self.event = event
  }
}

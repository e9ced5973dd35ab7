import AppStore
import Contracts
import Cryptography
import EventLog
import JSON

/// Which of our events an Apple notification becomes. The one place that knows both vocabularies.
struct NotificationTranslation {
  let log: any EventLog

  /// The event of a genuine notification of one of our apps.
  /// - Parameter receivedAt: first receipt, milliseconds since 1970, UTC.
  /// - Throws: where a name in it cannot stand in a stream.
  func draft(
    _ notification: VerifiedNotification, for app: AppIdentity, receivedAt: Int64
  ) throws(PurchaseKeyError) -> EventDraft {
    let environment = notification.identity.environment!.rawValue
    let transaction = notification.transaction
    let stream =
      if let transactionID = transaction?.transactionId {
        try PurchaseKey(environment: environment, transactionID: transactionID).stream
      } else {
        Streams.app(app.bundleId)
      }
    let (data, places) = Self.data(of: notification, for: app, environment: environment, receivedAt: receivedAt)
    let (seams, headers) = Self.seams(of: notification, places: places)
    let account = transaction?.accountToken ?? notification.renewalInfo?.accountToken
    return EventDraft(
      id: EventID(EventIDs.notification(notification.notificationUUID)), stream: StreamName(stream),
      type: EventType.notificationReceived.rawValue, schema: EventType.notificationReceived.schema,
      kind: Self.kind(of: notification), environment: environment, app: app.bundleId,
      customer: account.map { log.keyedDigest([Array(app.bundleId.utf8), Array($0.utf8)]) },
      occurredAt: receivedAt, signedAt: notification.signedDate, data: data, seams: seams, headers: headers)
  }

  private static func kind(of notification: VerifiedNotification) -> String {
    let type = notification.notificationType.rawValue
    return notification.payload.subtype.map { "\(type)/\($0.rawValue)" } ?? type
  }

  /// The stored bytes, and where in them each payload stands: the outer one first, then by offset.
  private static func data(
    of notification: VerifiedNotification, for app: AppIdentity, environment: String, receivedAt: Int64
  ) -> (bytes: [UInt8], places: [Range<Int>]) {
    let outer = notification.outer.payload.bytes
    var spliced: [UInt8] = []
    spliced.reserveCapacity(outer.count)
    var inner: [Range<Int>] = []
    var copied = 0
    for token in notification.inner {
      spliced += outer[copied..<token.range.lowerBound]
      inner.append(spliced.count..<spliced.count + token.token.payload.bytes.count)
      spliced += token.token.payload.bytes
      copied = token.range.upperBound
    }
    spliced += outer[copied...]
    let (bytes, offset) = NotificationReceived.data(
      bundleID: app.bundleId, environment: environment, firstReceivedAt: receivedAt, notification: spliced, via: .push)
    let places = ([0..<spliced.count] + inner).map { $0.lowerBound + offset..<$0.upperBound + offset }
    return (bytes, places)
  }

  private static func seams(
    of notification: VerifiedNotification, places: [Range<Int>]
  ) -> (seams: Seams, headers: [[UInt8]]) {
    guard notification.isReconstructible else { return (Seams(.raw(Array(notification.outer.received))), []) }
    var digests: [[UInt8]] = []
    var headers: [[UInt8]] = []
    let tokens = zip([notification.outer] + notification.inner.map(\.token), places).map { token, place in
      let digest = token.headerDigest.bytes
      let index = digests.firstIndex(of: digest) ?? digests.count
      if index == digests.count {
        digests.append(digest)
        headers.append(token.header)
      }
      return Seams.Token(header: index, payload: place, signature: token.signature)
    }
    return (Seams(.spliced(headerDigests: digests, tokens: tokens)), headers)
  }
}

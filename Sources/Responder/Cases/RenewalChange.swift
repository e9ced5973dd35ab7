import AppStore
import Contracts
import JSON

/// That the renewal of a subscription was switched on or off, by whomever.
struct RenewalChange: Codable, Equatable, Sendable {
  /// Id of the notification's event.
  var event: String
  var signedAt: Int64
  /// Position of the event.
  var position: Int64
  var isOn: Bool

  /// A case keeps the newest of them.
  static let keptMax = 50

  /// How near to a refund request, before or after, the App Store is thought to have done it: it switches renewal off when
  /// a customer asks for a refund in the app. Apple names no figure.
  static let nearRequest: Int64 = 600_000

  /// nil where the notification tells of no such change.
  init?(_ notification: NotificationReceived, event: String, position: Int64) {
    guard NotificationType(rawValue: notification.notificationType) == .didChangeRenewalStatus else { return nil }
    switch notification.subtype.map(Subtype.init(rawValue:)) {
    case .autoRenewEnabled: isOn = true
    case .autoRenewDisabled: isOn = false
    default:
      let renewal = notification.notification["data"]?["signedRenewalInfo"].map(JWSRenewalInfoDecodedPayload.init)
      switch renewal?.autoRenewStatus {
      case .on: isOn = true
      case .off: isOn = false
      case .unknown, nil: return nil
      }
    }
    self.event = event
    self.position = position
    signedAt = notification.signedDate
  }

  /// The same whatever came first.
  func isOlder(than other: RenewalChange) -> Bool { (signedAt, event) < (other.signedAt, other.event) }
}

extension [RenewalChange] {
  /// Keeps the order in which Apple signed them.
  mutating func take(_ change: RenewalChange) {
    insert(change, at: firstIndex { change.isOlder(than: $0) } ?? endIndex)
    if count > RenewalChange.keptMax { removeFirst() }
  }
}

extension CaseState {
  /// Whether a change looks like the App Store's own act after a refund request, and not like the customer's.
  func isProbablyOfAppStore(_ change: RenewalChange) -> Bool {
    !change.isOn && requests.contains { abs($0.signedAt - change.signedAt) <= RenewalChange.nearRequest }
  }

  /// How often the customer switched renewal off.
  var cancellations: Int { renewals.count { !$0.isOn && !isProbablyOfAppStore($0) } }
}

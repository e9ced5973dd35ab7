import AppStore
import Contracts
import EventLog

/// From a token's bytes to what it is. The same for what comes in now and for what was parked
/// before.
struct NotificationJudge {
  let setup: ReceiverSetup
  let translation: NotificationTranslation

  init(setup: ReceiverSetup, log: any EventLog) {
    self.setup = setup
    translation = NotificationTranslation(log: log)
  }

  /// - Parameter receivedAt: first receipt, milliseconds since 1970, UTC.
  func judge(_ token: ArraySlice<UInt8>, receivedAt: Int64) -> Judgement {
    let notification: VerifiedNotification
    do throws(VerificationError) {
      notification = try setup.verifier.verifyNotification(token)
    } catch {
      switch error {
      case .refused(let refusal): return .refused(Problem(refusal, of: token))
      case .genuineButUnusable(let unusable):
        if unusable.identity.isLocal { return .refused(Problem(.locallySigned)) }
        return .parked(park(unusable, receivedAt: receivedAt))
      }
    }
    // A server environment never accepts what a developer's machine makes, whoever signed it.
    if notification.identity.isLocal { return .refused(Problem(.locallySigned)) }
    switch notification.identity.judge(against: setup.apps) {
    case .notConfigured(let member, let expected, _):
      let reason: ParkingReason =
        switch member {
        case .bundleId: .bundleId
        case .appAppleId: .appAppleId
        case .environment: .environment
        }
      return .parked(
        park(
          notification, reason, detail: "received \(notification.identity.words); configured is \(expected)",
          receivedAt: receivedAt))
    case .accepted(let app):
      do throws(PurchaseKeyError) {
        return .event(
          try translation.draft(notification, for: app, receivedAt: receivedAt), UnknownWords(in: notification))
      } catch {
        return .parked(park(notification, .shape, detail: error.description, receivedAt: receivedAt))
      }
    }
  }

  private func park(
    _ notification: VerifiedNotification, _ reason: ParkingReason, detail: String, receivedAt: Int64
  ) -> ParkedNotification {
    ParkedNotification(
      bundleID: notification.identity.bundleId, environment: notification.identity.environment?.rawValue,
      appAppleID: notification.identity.appAppleId, notificationUUID: notification.notificationUUID,
      type: notification.notificationType.rawValue, reason: reason, detail: detail, firstReceivedAt: receivedAt,
      lastReceivedAt: receivedAt, token: Array(notification.outer.received))
  }

  private func park(_ notification: UnusableNotification, receivedAt: Int64) -> ParkedNotification {
    // What is no UUID may be anything, and is no key.
    let uuid = notification.payload.notificationUUID?.lowercased()
    let isKey = uuid.map { $0.utf8.count == 36 && $0.utf8.allSatisfy(Self.isOfUUID) } ?? false
    return ParkedNotification(
      bundleID: notification.identity.bundleId, environment: notification.identity.environment?.rawValue,
      appAppleID: notification.identity.appAppleId, notificationUUID: isKey ? uuid : nil,
      type: notification.payload.notificationType?.rawValue, reason: .shape,
      detail: "\(notification.refusal); received \(notification.identity.words)", firstReceivedAt: receivedAt,
      lastReceivedAt: receivedAt, token: Array(notification.outer.received))
  }

  private static func isOfUUID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

extension NotificationIdentity {
  /// Whether Xcode or a local test made it.
  var isLocal: Bool { environment == .xcode || environment == .localTesting }

  /// All three parts, for whoever compares them with the settings.
  var words: String {
    "bundle id \(bundleId ?? "none"), app id \(appAppleId.map(String.init) ?? "none"), "
      + "environment \(environment?.rawValue ?? "none")"
  }
}

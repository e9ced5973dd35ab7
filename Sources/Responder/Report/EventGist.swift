import AppStore
import Contracts
import EventLog
import JSON
import Service

/// One event in one line for people. Holds no account token and no signed payload.
enum EventGist {
  private static let bytesMax = 240

  static func line(_ event: RecordedEvent) -> String { oneLine(words(event)) }

  private static func words(_ event: RecordedEvent) -> String {
    guard let data = event.data else { return "erased" }
    // Only `kind` is needed of a notification, which may be large.
    if event.type == EventType.notificationReceived.rawValue { return notification(event, data) }
    do throws(ContractError) {
      guard let known = try KnownEvent.read(type: event.type, schema: event.schema, data: data) else {
        return "of a newer release"
      }
      return words(known)
    } catch { return "cannot be read: \(error)" }
  }

  private static func notification(_ event: RecordedEvent, _ data: [UInt8]) -> String {
    let kind = event.kind ?? "a notification"
    guard kind == NotificationType.consumptionRequest.rawValue,
      let read = try? NotificationReceived(data: data, schema: event.schema)
    else {
      return "Apple: \(kind)" + (note(on: kind).map { " (\($0))" } ?? "")
    }
    let reason = read.notification["data"]?["consumptionRequestReason"]?.string
    return "Apple asks for facts; reason of the customer: \(reason ?? "none given")"
  }

  /// What might be mistaken for a refund, or for nothing.
  private static func note(on kind: String) -> String? {
    let type = NotificationType(rawValue: String(kind.prefix { $0 != "/" }))
    switch type {
    case .revoke: return "shared or assigned access ended; no refund"
    case .unclaimSeats: return "seats were taken back; no refund"
    case .rescindConsent: return "a parent took back consent to a child's use of the app; no refund"
    case .refundReversed: return "what was taken back is the customer's again"
    case .unknown: return "of a type that this release does not know; kept as it came"
    default: return nil
    }
  }

  private static func words(_ event: KnownEvent) -> String {
    switch event {
    case .consentRecorded(let consent):
      return consent.granted
        ? "the customer agreed to text version \(consent.textVersion) (\(consent.channel))"
        : "the customer said no (\(consent.channel))"
    case .customerLinked(let link): return "whose purchase it is, said by \(link.by)"
    case .evidenceRecorded(let evidence):
      switch evidence.statement {
      case .unknownPurchase: return "\(evidence.by) does not know this purchase"
      case .values(let values): return "stated by \(evidence.by): \(members(values))"
      }
    case .consumptionPrepared(let claim):
      return "attempt \(claim.attempt): \(claim.body.utf8.count) bytes for Apple, rule \(claim.rule)"
        + (claim.late ? ", late" : "")
    case .consumptionSent(let sent): return "\(attempt(sent.claim)): Apple took it (\(sent.status))"
    case .consumptionFailed(let failed):
      return "\(attempt(failed.claim)): \(failed.failure.rawValue)"
        + (failed.status.map { " (\($0))" } ?? "") + ": \(failed.explanation)"
    case .consumptionWithheld(let withheld):
      return "not answered (\(withheld.reason.rawValue)): \(withheld.explanation)"
    case .outcome(let outcome):
      guard case .refunded(let extent) = outcome.decision else { return "Apple decided: \(outcome.kind.rawValue)" }
      let seats = outcome.revokedSeats.map { ", \($0) of \(outcome.quantity.map(String.init) ?? "?")" } ?? ""
      return "Apple decided: refunded (\(extent.rawValue)\(extent == .seats ? seats : ""))"
        + (outcome.request == nil ? ", without a refund request" : "")
        + (outcome.upgraded == true ? ", after an upgrade" : "")
    case .caseReviewed(let review):
      return "\(review.act.rawValue)\(review.refundPreference.map { " \($0)" } ?? "") by \(review.by)"
        + (review.note.map { ": \($0)" } ?? "")
    case .accessConfirmed(let access): return "access \(access.state.rawValue), says \(access.by)"
    case .customerPreferenceSet(let preference):
      return "preference for the customer: \(preference.refundPreference), set by \(preference.by)"
    case .customerErased(let erased): return "data of the customer erased by \(erased.by)"
    case .notificationReceived, .policyLoaded, .productStatementDeclared, .consentTextDeclared,
      .acceptedTextsDeclared, .outageDeclared, .alarmRaised, .alarmCleared, .consentBasisDeclared,
      .certificateRevoked, .logRestored, .sendingResumed:
      return "stands in this stream by mistake"
    }
  }

  private static func attempt(_ claim: String) -> String {
    EventIDs.attempt(of: claim).map { "attempt \($0.attempt)" } ?? "an attempt"
  }

  private static func members(_ values: EvidenceValues) -> String {
    var parts: [String] = []
    if let value = values.deliveryStatus { parts.append("deliveryStatus \(value)") }
    if let value = values.sampleContentProvided { parts.append("sampleContentProvided \(value)") }
    if let value = values.consumptionPercentage { parts.append("consumptionPercentage \(value)") }
    if let value = values.unitsUsed { parts.append("unitsUsed \(value)") }
    if let value = values.unitsGranted { parts.append("unitsGranted \(value)") }
    if let value = values.refundPreference { parts.append("refundPreference \(value)") }
    return parts.isEmpty ? "other values" : parts.joined(separator: ", ")
  }

  /// Texts come from outside: nothing in them may begin a line of its own, or write over the rest.
  private static func oneLine(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var bytes = 0
    for scalar in text.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= bytesMax else { return String(scalars) + "…" }
      scalars.append(scalar.isSteering ? " " : scalar)
    }
    return String(scalars)
  }
}

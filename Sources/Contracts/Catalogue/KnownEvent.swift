public import JSON

/// The data of any event this release knows: a closed set, so that the compiler leads to every place that folds
/// events when it grows.
public enum KnownEvent: Sendable, Equatable {
  case notificationReceived(NotificationReceived)
  case consentRecorded(ConsentRecorded)
  case customerLinked(CustomerLinked)
  case evidenceRecorded(EvidenceRecorded)
  case policyLoaded(PolicyLoaded)
  case productStatementDeclared(ProductStatementDeclared)
  case consentTextDeclared(ConsentTextDeclared)
  case acceptedTextsDeclared(AcceptedTextsDeclared)
  case outageDeclared(OutageDeclared)
  case consumptionPrepared(ConsumptionPrepared)
  case consumptionSent(ConsumptionSent)
  case consumptionFailed(ConsumptionFailed)
  case consumptionWithheld(ConsumptionWithheld)
  case outcome(Outcome)
  case caseReviewed(CaseReviewed)
  case accessConfirmed(AccessConfirmed)
  case alarmRaised(AlarmRaised)
  case alarmCleared(AlarmCleared)
  case consentBasisDeclared(ConsentBasisDeclared)
  case customerPreferenceSet(CustomerPreferenceSet)
  case certificateRevoked(CertificateRevoked)
  case logRestored(LogRestored)
  case sendingResumed(SendingResumed)
  case customerErased(CustomerErased)

  /// Reads the data of an event by its columns `type` and `schema`.
  /// - Returns: nil for a type this release does not know; such events pass through untouched.
  /// - Throws: `ContractError` where the data is not what the type says, and where a newer release wrote the event: its
  ///   type is known, so it may say something that counts, and nobody may guess what.
  public static func read(
    type: String, schema: Int64, data: [UInt8], upcasters: Upcasters = .released
  ) throws(ContractError) -> KnownEvent? {
    guard let type = EventType(rawValue: type) else { return nil }
    return try KnownEvent(type, type.root(of: upcasters.newest(data, of: type, schema: schema)))
  }

  /// - Parameter data: an object, somewhere in a document.
  public init(_ type: EventType, _ data: JSONView) throws(ContractError) {
    switch type {
    case .notificationReceived: self = .notificationReceived(try NotificationReceived(view: data))
    case .consentRecorded: self = .consentRecorded(try ConsentRecorded(view: data))
    case .customerLinked: self = .customerLinked(try CustomerLinked(view: data))
    case .evidenceRecorded: self = .evidenceRecorded(try EvidenceRecorded(view: data))
    case .policyLoaded: self = .policyLoaded(try PolicyLoaded(view: data))
    case .productStatementDeclared: self = .productStatementDeclared(try ProductStatementDeclared(view: data))
    case .consentTextDeclared: self = .consentTextDeclared(try ConsentTextDeclared(view: data))
    case .acceptedTextsDeclared: self = .acceptedTextsDeclared(try AcceptedTextsDeclared(view: data))
    case .outageDeclared: self = .outageDeclared(try OutageDeclared(view: data))
    case .consumptionPrepared: self = .consumptionPrepared(try ConsumptionPrepared(view: data))
    case .consumptionSent: self = .consumptionSent(try ConsumptionSent(view: data))
    case .consumptionFailed: self = .consumptionFailed(try ConsumptionFailed(view: data))
    case .consumptionWithheld: self = .consumptionWithheld(try ConsumptionWithheld(view: data))
    case .outcome: self = .outcome(try Outcome(view: data))
    case .caseReviewed: self = .caseReviewed(try CaseReviewed(view: data))
    case .accessConfirmed: self = .accessConfirmed(try AccessConfirmed(view: data))
    case .alarmRaised: self = .alarmRaised(try AlarmRaised(view: data))
    case .alarmCleared: self = .alarmCleared(try AlarmCleared(view: data))
    case .consentBasisDeclared: self = .consentBasisDeclared(try ConsentBasisDeclared(view: data))
    case .customerPreferenceSet: self = .customerPreferenceSet(try CustomerPreferenceSet(view: data))
    case .certificateRevoked: self = .certificateRevoked(try CertificateRevoked(view: data))
    case .logRestored: self = .logRestored(try LogRestored(view: data))
    case .sendingResumed: self = .sendingResumed(try SendingResumed(view: data))
    case .customerErased: self = .customerErased(try CustomerErased(view: data))
    }
  }

  /// The data itself.
  public var data: any EventData {
    switch self {
    case .notificationReceived(let data): data
    case .consentRecorded(let data): data
    case .customerLinked(let data): data
    case .evidenceRecorded(let data): data
    case .policyLoaded(let data): data
    case .productStatementDeclared(let data): data
    case .consentTextDeclared(let data): data
    case .acceptedTextsDeclared(let data): data
    case .outageDeclared(let data): data
    case .consumptionPrepared(let data): data
    case .consumptionSent(let data): data
    case .consumptionFailed(let data): data
    case .consumptionWithheld(let data): data
    case .outcome(let data): data
    case .caseReviewed(let data): data
    case .accessConfirmed(let data): data
    case .alarmRaised(let data): data
    case .alarmCleared(let data): data
    case .consentBasisDeclared(let data): data
    case .customerPreferenceSet(let data): data
    case .certificateRevoked(let data): data
    case .logRestored(let data): data
    case .sendingResumed(let data): data
    case .customerErased(let data): data
    }
  }
}

/// Every type of event this release writes. The raw value is the column `type`, the name of the Swift value, of
/// the schema and of the folder of examples.
public enum EventType: String, Sendable, CaseIterable {
  case notificationReceived = "NotificationReceived"
  case consentRecorded = "ConsentRecorded"
  case customerLinked = "CustomerLinked"
  case evidenceRecorded = "EvidenceRecorded"
  case policyLoaded = "PolicyLoaded"
  case productStatementDeclared = "ProductStatementDeclared"
  case consentTextDeclared = "ConsentTextDeclared"
  case acceptedTextsDeclared = "AcceptedTextsDeclared"
  case outageDeclared = "OutageDeclared"
  case consumptionPrepared = "ConsumptionPrepared"
  case consumptionSent = "ConsumptionSent"
  case consumptionFailed = "ConsumptionFailed"
  case consumptionWithheld = "ConsumptionWithheld"
  case outcome = "Outcome"
  case caseReviewed = "CaseReviewed"
  case accessConfirmed = "AccessConfirmed"
  case alarmRaised = "AlarmRaised"
  case alarmCleared = "AlarmCleared"
  case consentBasisDeclared = "ConsentBasisDeclared"
  case customerPreferenceSet = "CustomerPreferenceSet"
  case certificateRevoked = "CertificateRevoked"
  case logRestored = "LogRestored"
  case sendingResumed = "SendingResumed"
  case customerErased = "CustomerErased"

  /// The column `schema`: the version of the data that is written now. Older ones are read for ever.
  public var schema: Int64 { 1 }

  private static let names = Set(allCases.map(\.rawValue))

  /// Whether this release knows events of that name. Others pass through untouched.
  public static func knows(_ name: String) -> Bool { names.contains(name) }

  /// The CloudEvents attribute `type`.
  public var cloudEventsType: String { CloudEventsNames.type(of: rawValue, schema: schema) }

  /// The CloudEvents attribute `dataschema`, equal to the `$id` of the schema.
  public var dataSchema: String { CloudEventsNames.dataSchema(of: rawValue, schema: schema) }

  /// The Swift type of the data.
  public var dataType: any EventData.Type {
    switch self {
    case .notificationReceived: NotificationReceived.self
    case .consentRecorded: ConsentRecorded.self
    case .customerLinked: CustomerLinked.self
    case .evidenceRecorded: EvidenceRecorded.self
    case .policyLoaded: PolicyLoaded.self
    case .productStatementDeclared: ProductStatementDeclared.self
    case .consentTextDeclared: ConsentTextDeclared.self
    case .acceptedTextsDeclared: AcceptedTextsDeclared.self
    case .outageDeclared: OutageDeclared.self
    case .consumptionPrepared: ConsumptionPrepared.self
    case .consumptionSent: ConsumptionSent.self
    case .consumptionFailed: ConsumptionFailed.self
    case .consumptionWithheld: ConsumptionWithheld.self
    case .outcome: Outcome.self
    case .caseReviewed: CaseReviewed.self
    case .accessConfirmed: AccessConfirmed.self
    case .alarmRaised: AlarmRaised.self
    case .alarmCleared: AlarmCleared.self
    case .consentBasisDeclared: ConsentBasisDeclared.self
    case .customerPreferenceSet: CustomerPreferenceSet.self
    case .certificateRevoked: CertificateRevoked.self
    case .logRestored: LogRestored.self
    case .sendingResumed: SendingResumed.self
    case .customerErased: CustomerErased.self
    }
  }
}

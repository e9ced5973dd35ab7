import Contracts
import EventLog

/// What a customer of an app agreed to, folded from the customer's stream.
struct CustomerState: Codable, Equatable, Sendable {
  var version: Int64 = 0
  /// The newest record by its author's time; at the same time a withdrawal wins.
  var consent: Consent?

  struct Consent: Codable, Equatable, Sendable {
    var granted: Bool
    var textVersion: String
    var statedAt: Int64
    /// Id of the event.
    var event: String
  }

  mutating func fold(_ event: RecordedEvent, by upcasters: Upcasters = .released) throws(ContractError) {
    version = event.version
    guard event.type == EventType.consentRecorded.rawValue, let data = event.data else { return }
    let record = try ConsentRecorded(data: data, schema: event.schema, upcasters: upcasters)
    if let consent, consent.statedAt > record.statedAt || (consent.statedAt == record.statedAt && !consent.granted) {
      return
    }
    consent = Consent(
      granted: record.granted, textVersion: record.textVersion, statedAt: record.statedAt, event: event.id.text)
  }
}

import Contracts
import EventLog
import JSON
import Service

/// One event in one line for people.
struct EventLine: CustomStringConvertible {
  let event: RecordedEvent

  var description: String {
    let place = String(repeating: " ", count: max(0, 6 - String(event.position.value).count)) + "\(event.position)"
    let words = [place, RFC3339.text(event.occurredAt), event.type, event.stream.text, gist]
    return Shown.text(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }

  /// What matters most of what it says.
  private var gist: String {
    guard let data = event.data else { return "(erased)" }
    if let kind = event.kind { return kind }
    guard let type = EventType(rawValue: event.type), let root = try? JSONDocument(bytes: data).root else { return "" }
    let members: [String] =
      switch type {
      case .consumptionPrepared: ["body"]
      case .consumptionSent: ["status"]
      case .consumptionFailed: ["class", "explanation"]
      case .consumptionWithheld: ["reason", "explanation"]
      case .outcome: ["kind", "extent", "percentage"]
      case .consentRecorded: ["granted", "textVersion", "channel"]
      case .evidenceRecorded: ["values", "known"]
      case .productStatementDeclared: ["productId", "deliveryStatus", "sampleContentProvided"]
      case .consentBasisDeclared: ["kind", "textVersion", "coversUnidentified"]
      case .caseReviewed: ["act", "by"]
      case .alarmRaised: ["text"]
      default: []
      }
    return members.compactMap { name in
      root[name].map { value in value.string ?? "\(name) \(String(decoding: value.bytes, as: UTF8.self))" }
    }.joined(separator: ", ")
  }
}

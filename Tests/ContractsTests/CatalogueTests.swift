import Contracts
import JSON
import Testing

@Suite("The catalogue of events") struct CatalogueTests {
  @Test("is the same in Swift, in the schemas and in the examples")
  func sameSets() {
    let swift = Set(EventType.allCases.map(\.rawValue))
    let schemas = Examples.names(in: "schemas").filter { $0 != "CloudEvent.v1.json" }
    // Old versions stay.
    let versions = EventType.allCases.flatMap { type in (1...type.schema).map { "\(type.rawValue).v\($0).json" } }
    #expect(Set(schemas) == Set(versions))
    #expect(Set(Examples.names(in: "examples")) == swift.union(["CloudEvent", "invalid"]))
    #expect(Set(Examples.names(in: "examples/invalid")) == swift.union(["CloudEvent"]))
  }

  @Test("has examples for each event, good and bad", arguments: EventType.allCases)
  func examples(type: EventType) {
    #expect(Examples.valid.contains { $0.type == type })
    #expect(Examples.invalid.contains { $0.type == type })
  }

  @Test("names the schema as the schema names itself", arguments: EventType.allCases)
  func schemaID(type: EventType) throws {
    #expect(try Examples.schema(type.rawValue)["$id"]?.string == type.dataSchema)
  }

  @Test(
    "gives each event its CloudEvents type",
    arguments: [
      (EventType.notificationReceived, "refundlog.notification.received.v1"),
      (.consentRecorded, "refundlog.consent.recorded.v1"),
      (.customerLinked, "refundlog.customer.linked.v1"),
      (.evidenceRecorded, "refundlog.evidence.recorded.v1"),
      (.policyLoaded, "refundlog.policy.loaded.v1"),
      (.productStatementDeclared, "refundlog.product.statement.declared.v1"),
      (.consentTextDeclared, "refundlog.consent.text.declared.v1"),
      (.acceptedTextsDeclared, "refundlog.accepted.texts.declared.v1"),
      (.outageDeclared, "refundlog.outage.declared.v1"),
      (.consumptionPrepared, "refundlog.consumption.prepared.v1"),
      (.consumptionSent, "refundlog.consumption.sent.v1"),
      (.consumptionFailed, "refundlog.consumption.failed.v1"),
      (.consumptionWithheld, "refundlog.consumption.withheld.v1"),
      (.outcome, "refundlog.outcome.v1"),
      (.caseReviewed, "refundlog.case.reviewed.v1"),
      (.accessConfirmed, "refundlog.access.confirmed.v1"),
      (.alarmRaised, "refundlog.alarm.raised.v1"),
      (.alarmCleared, "refundlog.alarm.cleared.v1"),
      (.consentBasisDeclared, "refundlog.consent.basis.declared.v1"),
      (.customerPreferenceSet, "refundlog.customer.preference.set.v1"),
      (.certificateRevoked, "refundlog.certificate.revoked.v1"),
      (.logRestored, "refundlog.log.restored.v1"),
      (.sendingResumed, "refundlog.sending.resumed.v1"),
      (.customerErased, "refundlog.customer.erased.v1"),
    ])
  func cloudEventsType(type: EventType, expected: String) {
    #expect(type.cloudEventsType == expected)
  }

  @Test("is complete in the table above")
  func count() { #expect(EventType.allCases.count == 24) }

  @Test("names events of newer releases by the same rule")
  func newer() {
    #expect(CloudEventsNames.type(of: "SeatsReturned", schema: 12) == "refundlog.seats.returned.v12")
    #expect(CloudEventsNames.dataSchema(of: "Outcome", schema: 2) == "urn:refundlog:schema:outcome.v2")
  }

  @Test("leads from the columns to the value, and passes over what it does not know")
  func known() throws {
    let data = Array(#"{"by":"operator:mika"}"#.utf8)
    let event = try KnownEvent.read(type: "SendingResumed", schema: 1, data: data)
    #expect(event == .sendingResumed(SendingResumed(by: "operator:mika")))
    #expect(event?.data.encoded() == data)
    #expect(try KnownEvent.read(type: "SeatsReturned", schema: 1, data: data) == nil)
    #expect(try KnownEvent.read(type: "SeatsReturned", schema: 9, data: Array("no JSON".utf8)) == nil)
  }

  @Test("reads each example as the case of its type", arguments: Examples.valid)
  func knownExamples(example: Example) throws {
    let event = try #require(
      try KnownEvent.read(type: example.type.rawValue, schema: example.type.schema, data: example.bytes))
    #expect(type(of: event.data).type == example.type)
    #expect(event.data.encoded() == example.bytes)
  }
}

import Contracts
import JSON
import Testing

@Suite("A CloudEvent") struct CloudEventTests {
  static let logID = "00000000-0000-4000-8000-000000000001"
  static let customer = "10b33878c45e7ebb2743455d65588255e4fca4f3f7f9cc160b52c69ffb1b875a"
  static let stream = "purchase/Sandbox/2000009000000001"
  static let request = "notification/5a000000-0000-4000-8000-000000000002"
  static let signedAt: Int64 = 1_794_301_200_000

  @Test("of a notification is the example, with and without its data", arguments: [false, true])
  func notification(erased: Bool) throws {
    let data = try Examples.bytes("NotificationReceived/v1/consumption-request-consumable.json")
    let event = CloudEvent(
      id: Self.request, logID: Self.logID, name: "NotificationReceived", schema: 1, stream: Self.stream,
      occurredAt: 1_764_500_000_002, position: 2, streamVersion: 1, environment: "Sandbox", app: "com.example.refunds",
      kind: "CONSUMPTION_REQUEST", customer: Self.customer, signedAt: Self.signedAt, data: erased ? nil : data)
    let file = erased ? "notification-received-erased.json" : "notification-received.json"
    #expect(event.encoded() == (try Examples.bytes("CloudEvent/v1/\(file)")))
  }

  @Test("of an outcome is the example")
  func outcome() throws {
    let event = CloudEvent(
      id: "outcome/Sandbox/2000009000000001/refunded/1794473200000", logID: Self.logID, name: "Outcome", schema: 1,
      stream: Self.stream, occurredAt: Self.signedAt + 172_800_000, position: 9, streamVersion: 5,
      environment: "Sandbox",
      app: "com.example.refunds", customer: Self.customer,
      causationID: "notification/5a000000-0000-4000-8000-000000000008",
      correlationID: Self.request, data: try Examples.bytes("Outcome/v1/refunded-in-full.json"))
    #expect(event.encoded() == (try Examples.bytes("CloudEvent/v1/outcome.json")))
  }

  @Test("keeps a position and a version past 32 and 53 bits")
  func farAlong() throws {
    let event = CloudEvent(
      id: "restored/5a000000-0000-4000-8000-0000000000aa", logID: Self.logID, name: "LogRestored", schema: 1,
      stream: "log",
      occurredAt: Self.signedAt, position: 9_007_199_254_740_993, streamVersion: 2_147_483_648,
      data: try Examples.bytes("LogRestored/v1/from-last-night.json"))
    #expect(event.encoded() == (try Examples.bytes("CloudEvent/v1/log-restored-far-along.json")))
  }

  @Test("carries types of newer releases and their data untouched")
  func newer() throws {
    let event = CloudEvent(
      id: "seats/1", logID: Self.logID, name: "SeatsReturned", schema: 1, stream: Self.stream,
      occurredAt: Self.signedAt,
      position: 44, streamVersion: 6, environment: "Sandbox", app: "com.example.refunds",
      data: Array("{\"seats\":3}".utf8))
    #expect(event.encoded() == (try Examples.bytes("CloudEvent/v1/type-of-a-newer-release.json")))
  }

  @Test("copies data byte for byte, whatever its form")
  func verbatim() throws {
    let data = Array("{ \"b\" : 1.50e3,\"a\":\"\\/\\u00e9\" }".utf8)
    let event = CloudEvent(
      id: "x/1", logID: Self.logID, name: "Outcome", schema: 1, stream: "log", occurredAt: 0, position: 1,
      streamVersion: 1,
      data: data)
    let document = try JSONDocument(bytes: event.encoded())
    #expect(document.root["data"].map { Array($0.bytes) } == data)
    #expect(document.root["environment"] == nil)
    #expect(document.root["erased"] == nil)
  }

  @Test("requires and knows the attributes its schema does")
  func attributes() throws {
    let schema = try Examples.schema("CloudEvent")
    let properties = Set(try #require(schema["properties"]?.object).keys)
    let required = Set(try #require(schema["required"]?.array).compactMap(\.string))
    let bare = CloudEvent(
      id: "x/1", logID: Self.logID, name: "Outcome", schema: 1, stream: "log", occurredAt: 0, position: 1,
      streamVersion: 1,
      data: nil)
    var full = bare
    (full.environment, full.app, full.kind, full.customer) = ("Sandbox", "a", "TEST", Self.customer)
    (full.signedAt, full.causationID, full.correlationID, full.data) = (0, "c", "d", Array("{}".utf8))
    let keys = { (event: CloudEvent) in Set(try JSONValue(bytes: event.encoded()).object?.keys ?? []) }
    #expect(try keys(bare) == required.union(["erased"]))
    #expect(try keys(bare).union(try keys(full)) == properties)
  }
}

import Contracts
import JSON
import Testing

@Suite("A value of an event") struct EventValueTests {
  @Test("keeps words that nobody here knows")
  func unknownWords() throws {
    let event = try ProductStatementDeclared(
      data: try Examples.bytes("ProductStatementDeclared/v1/unknown-delivery-status.json"))
    #expect(event.deliveryStatus.text == "DELIVERED_LATE")
    #expect(!event.deliveryStatus.isKnown)
    #expect(DeliveryStatusWord("DELIVERED").isKnown)
    #expect(!DeliveryStatusWord("delivered").isKnown)
  }

  @Test("keeps every digit of an integer")
  func digits() throws {
    let event = try ConsumptionFailed(
      data: try Examples.bytes("ConsumptionFailed/v1/big-error-code-and-newer-members.json"))
    #expect(event.errorCode == 9_007_199_254_740_993)
    let evidence = try EvidenceRecorded(
      data: try Examples.bytes("EvidenceRecorded/v1/newer-words-and-members.json"))
    guard case .values(let values) = evidence.statement else { return #expect(Bool(false)) }
    #expect(values.unitsGranted == .max)
    #expect(values.unitsUsed == 9_007_199_254_740_993)
    #expect(values.additional["screenTime"]?["minutes"]?.number?.text == "184467440737095516160")
    #expect(values.attributes?["balance"]?.number?.text == "0.10")
  }

  @Test(
    "refuses an integer with a point, an exponent or more than 64 bits",
    arguments: ["1.0", "1e3", "9223372036854775808"])
  func notIntegers(number: String) {
    let text = #"{"backupAt":\#(number),"head":1}"#
    #expect(contractError { _ = try LogRestored(data: Array(text.utf8)) }?.member == "backupAt")
  }

  @Test("is compared by content")
  func equality() {
    let event = AlarmCleared(alarm: "a", text: "b")
    #expect(event == AlarmCleared(alarm: "a", text: "b"))
    #expect(event != AlarmCleared(alarm: "a"))
    #expect(event != AlarmCleared(alarm: "a", text: "b", additional: ["n": 1]))
  }

  @Test("writes what it holds over an additional member of the same name")
  func shadowed() {
    let event = SendingResumed(by: "operator:mika", additional: ["by": "nobody", "a": 1])
    #expect(event.encoded() == Array(#"{"a":1,"by":"operator:mika"}"#.utf8))
  }

  @Test("holds the body of an answer as its exact text")
  func exactBody() throws {
    let body = "{\"a\": 1.50,\n \"b\":\"\\u00e9/\"}"
    let event = ConsumptionPrepared(
      request: "notification/1", attempt: 1, endpointVersion: 2, body: body, rule: "default",
      policy: String(repeating: "0", count: 64), basis: "consent/1", sources: [:], claimant: "c", sendBy: 1, late: false
    )
    #expect(try ConsumptionPrepared(data: event.encoded()).body == body)
  }

  @Test(
    "takes names of 1 to 255 bytes, bytes and not characters",
    arguments: [(0, false), (1, true), (127, true), (128, false)])
  func nameBorders(count: Int, allowed: Bool) {
    let text = #"{"by":"\#(String(repeating: "é", count: count))"}"#
    #expect((contractError { _ = try SendingResumed(data: Array(text.utf8)) } == nil) == allowed)
  }

  @Test(
    "takes a reply as canonical base64 of at most 2048 bytes and nothing else",
    arguments: [
      ("", true), ("AA==", true), ("AAA=", true), ("AAAA", true), ("+/+/", true),
      ("AB==", false), ("AAB=", false), ("A===", false), ("AA=A", false), ("AA", false), ("AAAA\\n", false),
      ("-_-_", false),
      ("====", false), ("AA==AAAA", false),
      (String(repeating: "A", count: 2728) + "AAA=", true), (String(repeating: "A", count: 2732), false),
      (String(repeating: "A", count: 2736), false),
    ])
  func reply(text: String, allowed: Bool) throws {
    let data = Array(
      #"{"claim":"c","reply":"\#(text)","repliedAt":2,"request":"r","sentAt":1,"status":202}"#.utf8)
    guard allowed else { return #expect(contractError { _ = try ConsumptionSent(data: data) }?.member == "reply") }
    let event = try ConsumptionSent(data: data)
    #expect(event.reply.count == text.utf8.count / 4 * 3 - text.reversed().prefix { $0 == "=" }.count)
    #expect(try ConsumptionSent(data: event.encoded()) == event)
  }
}

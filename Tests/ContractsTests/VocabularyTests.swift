import Contracts
import JSON
import Testing

@Suite("A vocabulary") struct VocabularyTests {
  @Test(
    "that is closed has the same words in the schema and in Swift, and each in an example",
    arguments: EventType.allCases)
  func closed(type: EventType) throws {
    let properties = try #require(try Examples.schema(type.rawValue)["properties"]?.object)
    let examples = Examples.valid.filter { $0.type == type }
    for property in properties.members {
      guard let words = property.value["enum"]?.array?.compactMap(\.string) else { continue }
      let shown = try examples.compactMap { try $0.object()[property.key]?.string }
      #expect(Set(shown) == Set(words), "\(property.key)")
      let example = try #require(try examples.first { try $0.object()[property.key] != nil })
      var data = try example.object()
      data[property.key] = "notOurs"
      let error = contractError { _ = try type.dataType.init(data: JSONValue.object(data).bytes()) }
      #expect(error?.member == property.key)
      #expect(error?.allowed == "one of " + words.joined(separator: ", "))
    }
  }

  @Test(
    "that is open lists in the schema the words Swift knows",
    arguments: [
      (EventType.productStatementDeclared, "deliveryStatus", DeliveryStatusWords.known),
      (.customerPreferenceSet, "refundPreference", RefundPreferenceWords.known),
      (.caseReviewed, "refundPreference", RefundPreferenceWords.known),
      (.consentRecorded, "channel", ChannelWords.known),
      (.outageDeclared, "effect", OutageEffectWords.known),
    ])
  func open(type: EventType, member: String, known: [String]) throws {
    let property = try #require(try Examples.schema(type.rawValue)["properties"]?[member])
    #expect(property["examples"]?.array?.compactMap(\.string) == known)
    #expect(property["enum"] == nil)
  }

  @Test(
    "that is open keeps a word nobody knows through reading and writing",
    arguments: [
      (EventType.productStatementDeclared, "deliveryStatus"), (.customerPreferenceSet, "refundPreference"),
      (.consentRecorded, "channel"), (.outageDeclared, "effect"), (.notificationReceived, "environment"),
    ])
  func survives(type: EventType, member: String) throws {
    let example = try #require(Examples.valid.first { $0.type == type })
    var data = try example.object()
    data[member] = "A_NEW_WORD/ü"
    let bytes = JSONValue.object(data).bytes(sortedKeys: type != .notificationReceived)
    #expect(try type.dataType.init(data: bytes).encoded() == bytes)
  }
}

import Contracts
import JSON
import Testing

/// Histories that this release does not have, told by steps that are handed in.
@Suite("An event of an older version") struct UpcasterTests {
  /// SendingResumed, had it begun with `who` and `remark`, and got `by` with version 2 and `note` with version 3.
  private static let who = Upcaster(.sendingResumed, from: 1) { $0.renaming("who", to: "by") }
  private static let remark = Upcaster(.sendingResumed, from: 2) { $0.renaming("remark", to: "note") }
  private static let history = Upcasters([who, remark], newest: [.sendingResumed: 3])

  private func read(_ text: String, schema: Int64, by upcasters: Upcasters) throws(ContractError) -> SendingResumed {
    try SendingResumed(data: Array(text.utf8), schema: schema, upcasters: upcasters)
  }

  @Test(
    "is brought to the newest by one step after the other",
    arguments: [
      (1, #"{"remark":"all is well","who":"mia"}"#), (2, #"{"by":"mia","remark":"all is well"}"#),
      (3, #"{"by":"mia","note":"all is well"}"#),
    ] as [(Int64, String)])
  func chain(schema: Int64, text: String) throws {
    let newest = SendingResumed(by: "mia", note: "all is well")
    #expect(try read(text, schema: schema, by: Self.history) == newest)
    let known = try KnownEvent.read(
      type: "SendingResumed", schema: schema, data: Array(text.utf8), upcasters: Self.history)
    #expect(known == .sendingResumed(newest))
  }

  @Test("keeps members that no step names, digit for digit") func additional() throws {
    let event = try read(#"{"who":"mia","zz":[1.50E+3,{"deep":null}]}"#, schema: 1, by: Self.history)
    #expect(event.additional == ["zz": [.number(JSONNumber("1.50E+3")!), ["deep": .null]]])
  }

  @Test("brings Apple's words along, numbers digit for digit") func notification() throws {
    let steps = Upcasters(
      [Upcaster(.notificationReceived, from: 1) { $0.renaming("bundle", to: "bundleId") }],
      newest: [.notificationReceived: 2])
    let text = #"""
      {"bundle":"com.example","environment":"Sandbox","firstReceivedAt":7,"notification":
      {"notificationType":"REFUND","notificationUUID":"u","signedDate":7,"n":12345678901234567890.10},"via":"push"}
      """#
    let event = try NotificationReceived(data: Array(text.utf8), schema: 1, upcasters: steps)
    #expect(event.bundleID == "com.example")
    #expect(event.notification["n"]?.numberText == "12345678901234567890.10")
  }

  @Test("leaves other types as they are") func otherTypes() throws {
    let cleared = try AlarmCleared(
      data: Array(#"{"alarm":"silence"}"#.utf8), schema: 1, upcasters: Self.history)
    #expect(cleared.alarm == "silence")
  }

  @Test("is refused where a step is missing, and the version is named") func missing() {
    let upcasters = Upcasters([Self.who], newest: [.sendingResumed: 3])
    for (schema, text) in [(1, #"{"who":"mia"}"#), (2, #"{"by":"mia"}"#)] as [(Int64, String)] {
      let error = contractError { _ = try read(text, schema: schema, by: upcasters) }
      #expect(error?.event == "SendingResumed" && error?.found == "version 2")
      #expect(error?.allowed.contains("lacks that step") == true)
    }
  }

  @Test("is refused with the step's own words where a step throws") func throwing() {
    let told = ContractError(event: "SendingResumed", member: "who", found: "nothing", allowed: "a name")
    let upcasters = Upcasters(
      [
        Upcaster(.sendingResumed, from: 1) { members throws(ContractError) in
          guard members["who"] != nil else { throw told }
          return members
        }
      ], newest: [.sendingResumed: 2])
    #expect(contractError { _ = try read("{}", schema: 1, by: upcasters) } == told)
  }

  @Test("that a step made into no such event is refused as the newest would be") func wrongShape() {
    let upcasters = Upcasters([Upcaster(.sendingResumed, from: 1) { $0 }], newest: [.sendingResumed: 2])
    #expect(contractError { _ = try read(#"{"who":"mia"}"#, schema: 1, by: upcasters) }?.member == "by")
  }

  @Test("is refused where it is no JSON or no object, before any step", arguments: ["", "[]", "{", "{}{}"])
  func notData(text: String) {
    #expect(contractError { _ = try read(text, schema: 1, by: Self.history) }?.allowed == "an object")
  }

  @Test("is not looked at where it is of the newest already") func newest() throws {
    let bytes = Array("no JSON at all".utf8)
    #expect(try Self.history.newest(bytes, of: .sendingResumed, schema: 3) == bytes)
    #expect(try Upcasters.released.newest(bytes, of: .sendingResumed, schema: 1) == bytes)
  }

  @Test("and one of a version that cannot be is refused", arguments: [0, -1, Int64.min]) func below(schema: Int64) {
    let error = contractError { _ = try read(#"{"by":"mia"}"#, schema: schema, by: Self.history) }
    #expect(error?.found == "version \(schema)" && error?.allowed == "version 1 to 3")
  }

  @Test("and one of a newer release is refused, and the text says so", arguments: [2, 9, Int64.max])
  func above(schema: Int64) {
    let error = contractError { _ = try read(#"{"by":"mia"}"#, schema: schema, by: .released) }
    #expect(
      error?.description
        == "SendingResumed: found version \(schema), allowed is version 1; a newer release wrote it, and reads it")
    #expect(
      contractError {
        _ = try KnownEvent.read(type: "SendingResumed", schema: schema, data: Array(#"{"by":"mia"}"#.utf8))
      } == error)
  }

  @Test("has a way to the newest in this release", arguments: EventType.allCases) func released(type: EventType) {
    #expect(Upcasters.released.newest(of: type) == type.schema)
    // An example of each version that ever was shows the way: it decodes.
    for schema in 1...type.schema {
      let examples = Examples.all(of: type, schema: schema)
      #expect(!examples.isEmpty, "\(type.rawValue) has no example of version \(schema)")
      for example in examples {
        #expect(throws: Never.self) {
          try KnownEvent.read(type: type.rawValue, schema: schema, data: example.bytes)
        }
      }
    }
  }
}

extension JSONObject {
  fileprivate func renaming(_ old: String, to new: String) -> JSONObject {
    var members = self
    members[new] = members[old]
    members[old] = nil
    return members
  }
}

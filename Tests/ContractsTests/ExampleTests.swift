import Contracts
import JSON
import Testing

@Suite("An example") struct ExampleTests {
  @Test("is written back byte for byte", arguments: Examples.valid)
  func roundTrip(example: Example) throws {
    let text = String(decoding: try example.read().encoded(), as: UTF8.self)
    #expect(text == String(decoding: example.bytes, as: UTF8.self))
    #expect(Array(text.utf8) == example.bytes)
  }

  @Test("that is invalid is refused, with the event named", arguments: Examples.invalid)
  func invalid(example: Example) {
    let error = contractError { _ = try example.read() }
    #expect(error?.event == example.type.rawValue)
    #expect(error?.member.isEmpty == false)
  }

  @Test("without a member its schema requires is refused, and the member named", arguments: Examples.valid)
  func requiredMembers(example: Example) throws {
    let schema = try Examples.schema(example.type.rawValue)
    for name in try #require(schema["required"]?.array).compactMap(\.string) {
      var data = try example.object()
      data[name] = nil
      let error = contractError { _ = try example.type.dataType.init(data: JSONValue.object(data).bytes()) }
      #expect(error?.member == name, "\(name) was dropped")
      #expect(error?.found == "nothing")
    }
  }

  @Test("without a member its schema does not require is still read", arguments: Examples.valid)
  func optionalMembers(example: Example) throws {
    let schema = try Examples.schema(example.type.rawValue)
    // One of these two is always needed, and a refund always has its extent.
    let required = (schema["required"]?.array ?? []).compactMap(\.string) + ["values", "known", "extent"]
    for name in try example.object().keys where !required.contains(name) {
      var data = try example.object()
      data[name] = nil
      #expect(throws: Never.self) { try example.type.dataType.init(data: JSONValue.object(data).bytes()) }
    }
  }

  @Test("with null, a list or an object where its schema has something else is refused", arguments: Examples.valid)
  func wrongKinds(example: Example) throws {
    let properties = try #require(try Examples.schema(example.type.rawValue)["properties"]?.object)
    for member in try example.object().members {
      guard let type = properties[member.key]?["type"]?.string else { continue }
      for (kind, wrong): (String, JSONValue) in [
        ("null", .null), ("array", [.null]), ("object", ["a": .null]), ("boolean", true), ("number", 1),
      ] where kind != type && !(kind == "number" && type == "integer") {
        if member.key == "known", kind == "boolean" { continue }
        var data = try example.object()
        data[member.key] = wrong
        let error = contractError { _ = try example.type.dataType.init(data: JSONValue.object(data).bytes()) }
        #expect(error?.member == member.key, "\(member.key) was \(kind)")
      }
    }
  }

  @Test("has its known members read by Swift, and only the others kept aside", arguments: Examples.valid)
  func additional(example: Example) throws {
    let properties = try #require(try Examples.schema(example.type.rawValue)["properties"]?.object)
    let additional = try example.read().additional
    let unknown = try example.object().members.filter { properties[$0.key] == nil }
    // `known: true` beside values says nothing new and is only kept.
    #expect(additional.keys.filter { $0 != "known" } == unknown.map(\.key))
    for member in unknown { #expect(additional[member.key] == member.value) }
  }

  @Test("shows each member of the schema at least once", arguments: EventType.allCases)
  func coverage(type: EventType) throws {
    let properties = try #require(try Examples.schema(type.rawValue)["properties"]?.object)
    let shown = try Set(Examples.valid.filter { $0.type == type }.flatMap { try $0.object().keys })
    #expect(shown.isSuperset(of: properties.keys))
  }

  @Test("keeps members of newer releases, digit for digit", arguments: Examples.valid)
  func newerMembers(example: Example) throws {
    var data = try example.object()
    data["zzNewer"] = [
      "n": .number(JSONNumber("12345678901234567890123.4500E-3")!), "l": [.null, true, "é/\u{1F600}"],
    ]
    let bytes = JSONValue.object(data).bytes(sortedKeys: example.type != .notificationReceived)
    #expect(try example.type.dataType.init(data: bytes).encoded() == bytes)
  }

  @Test("is refused where it is not JSON, not an object, or followed by something", arguments: EventType.allCases)
  func notData(type: EventType) {
    for text in ["", "[]", "null", "{", "{}{}", "{\"by\":1,\"by\":1}"] {
      let error = contractError { _ = try type.dataType.init(data: Array(text.utf8)) }
      #expect(error?.event == type.rawValue)
    }
  }
}

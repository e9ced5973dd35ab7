import JSON

/// A value that can be written as a member.
protocol MemberValue: Sendable {
  var json: JSONValue { get }
}

/// A word of a set that is ours: closed, so that every `switch` over it is whole.
protocol ClosedWord: RawRepresentable<String>, CaseIterable, MemberValue {}

extension ClosedWord {
  var json: JSONValue { .string(rawValue) }
}

extension String: MemberValue {
  var json: JSONValue { .string(self) }
}

extension Bool: MemberValue {
  var json: JSONValue { .bool(self) }
}

extension Int64: MemberValue {
  var json: JSONValue { .number(JSONNumber(self)) }
}

extension Array: MemberValue where Element: MemberValue {
  var json: JSONValue { .array(map(\.json)) }
}

extension Dictionary: MemberValue where Key == String, Value: MemberValue {
  var json: JSONValue {
    var object = JSONObject()
    for (name, value) in self { object[name] = value.json }
    return .object(object)
  }
}

extension Word: MemberValue {
  var json: JSONValue { .string(text) }
}

extension JSONObject: MemberValue {
  var json: JSONValue { .object(self) }
}

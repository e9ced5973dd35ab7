import JSON

extension JSONObject {
  /// Puts the other's members over these; a member that is null there is taken away.
  mutating func merge(_ other: JSONObject) {
    for member in other.members { self[member.key] = member.value }
    for member in other.members where member.value.isNull { self[member.key] = nil }
  }

  /// Adds what is absent here.
  mutating func fill(_ key: String, _ value: JSONValue?) {
    if self[key] == nil { self[key] = value }
  }

  /// Takes away every member that is null: its absence was asked for.
  mutating func dropNulls() {
    for key in keys where self[key]?.isNull == true { self[key] = nil }
  }
}

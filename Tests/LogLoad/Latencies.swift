import JSON

/// How long things took, in nanoseconds.
struct Latencies: Sendable {
  private var values: [Int64] = []

  var count: Int { values.count }

  mutating func add(_ nanoseconds: Int64) { values.append(nanoseconds) }

  mutating func add(_ others: Latencies) { values += others.values }

  /// `p50Us`, `p99Us` and `worstUs`; nothing where nothing was measured.
  func members() -> JSONObject {
    let sorted = values.sorted()
    guard let worst = sorted.last else { return [:] }
    func at(_ percent: Int) -> JSONValue { .count(Int(sorted[(sorted.count - 1) * percent / 100] / 1_000)) }
    return ["p50Us": at(50), "p99Us": at(99), "worstUs": .count(Int(worst / 1_000))]
  }
}

extension JSONValue {
  static func count(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
}

extension JSONObject {
  mutating func merge(_ others: JSONObject) { for member in others.members { self[member.key] = member.value } }
}

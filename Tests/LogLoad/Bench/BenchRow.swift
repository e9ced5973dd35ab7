import JSON

/// One figure, beside what the machine could do at most in the same run.
struct BenchRow: Sendable {
  /// For machines, steady over releases: `append.64.perSecond`.
  var key: String
  /// For people.
  var name: String
  var value: Double
  var unit: String
  /// What it is held against, and the figure divided by it.
  var ratio: Ratio?
  /// What is asked, in words; and whether it is met, where that can be told from this row.
  var asked: String?
  var isMet: Bool?

  struct Ratio: Sendable {
    var to: String
    var of: Double
    var value: Double
  }

  init(
    _ key: String, _ name: String, _ value: Double, _ unit: String, to limit: (name: String, value: Double)? = nil,
    asked: String? = nil, isMet: Bool? = nil
  ) {
    self.key = key
    self.name = name
    self.value = value
    self.unit = unit
    ratio = limit.map { Ratio(to: $0.name, of: $0.value, value: $0.value > 0 ? value / $0.value : 0) }
    self.asked = asked
    self.isMet = isMet
  }

  var json: JSONValue {
    var object: JSONObject = [
      "key": .string(key), "name": .string(name), "value": Self.number(value), "unit": .string(unit),
    ]
    if let ratio {
      object["ratio"] = Self.number(ratio.value)
      object["ratioTo"] = .string(ratio.to)
      object["limit"] = Self.number(ratio.of)
    }
    object["asked"] = asked.map { .string($0) }
    object["met"] = isMet.map { .bool($0) }
    return .object(object)
  }

  /// Two decimals below a hundred, none above.
  static func number(_ value: Double) -> JSONValue { .number(JSONNumber(text(value))!) }

  static func text(_ value: Double) -> String {
    guard value < 100 else { return String(Int(value.rounded())) }
    let hundredths = Int((value * 100).rounded())
    let rest = String(hundredths % 100)
    return "\(hundredths / 100).\(String(repeating: "0", count: 2 - rest.count))\(rest)"
  }
}

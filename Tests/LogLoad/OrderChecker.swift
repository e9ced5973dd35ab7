import JSON

/// Watches what a reader is given: each position must be the last one and one.
struct OrderChecker: Sendable {
  private(set) var last: Int64 = 0
  private(set) var seen = 0
  private var skips = 0
  private var repeats = 0

  mutating func pass(_ position: Int64) {
    seen += 1
    if position > last + 1 { skips += 1 }
    if position <= last { repeats += 1 }
    last = max(last, position)
  }

  func members() -> JSONObject {
    ["seen": .count(seen), "last": .count(Int(last)), "skips": .count(skips), "repeats": .count(repeats)]
  }
}

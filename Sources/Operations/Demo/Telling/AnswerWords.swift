import Contracts
import JSON

/// An answer to Apple in words.
struct AnswerWords {
  /// As it stands in the log.
  let said: CasePage.Said

  /// What it comes down to, for a table.
  static func short(_ body: String) -> String {
    guard let value = try? JSONValue(bytes: Array(body.utf8)), let status = value["deliveryStatus"]?.string else {
      return body
    }
    guard let share = value["consumptionPercentage"]?.int64 else { return status }
    return "\(status), \(Milliunits.percent(share)) %"
  }

  /// Each value of the body, and where it comes from; also a share that was left out, and why.
  var lines: [String] {
    let value = try? JSONValue(bytes: Array(said.body.utf8))
    let members = value?.object?.keys ?? []
    let share = "consumptionPercentage"
    var found: [(members: [String], words: String)] = []
    for member in members + (members.contains(share) ? [] : [share]) {
      guard let words = words(for: member) else { continue }
      if let last = found.indices.last, found[last].words == words {
        found[last].members.append(member)
      } else {
        found.append(([member], words))
      }
    }
    return found.map { "\($0.members.joined(separator: ", ")): \($0.words)" }
  }

  private func words(for member: String) -> String? {
    let source = member == "customerConsented" ? said.sources["basis"] : said.sources[member]
    return source.map { Self.readable(Self.withoutEvent($0)) }
  }

  /// Ids of events are for whoever looks into the log.
  private static func withoutEvent(_ words: String) -> String {
    guard words.hasSuffix(")"), let open = words.lastIndex(of: "("), words[open...].contains("/") else { return words }
    return String(words[..<open].dropLast())
  }

  private static func readable(_ words: String) -> String {
    let parts = words.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    // «940 used of 1000 granted, stated by …»
    if parts.count > 4, parts[1] == "used", parts[2] == "of", let used = Int64(parts[0]), let granted = Int64(parts[3])
    {
      let rest = parts[4...].joined(separator: " ")
      return "\(grouped(used)) of \(grouped(granted)) units used" + rest.trimming(prefix: "granted")
    }
    return words == "declared by settings for product *" ? "declared in the settings, for every product" : words
  }

  /// 1,000 for 1000.
  private static func grouped(_ number: Int64) -> String {
    var digits = String(number)
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }
}

extension String {
  fileprivate func trimming(prefix: String) -> Substring { hasPrefix(prefix) ? dropFirst(prefix.count) : self[...] }
}

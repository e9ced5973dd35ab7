import Service

/// What a command is called, takes and does; its help is made from it, and its words are read by it.
struct CommandPage {
  /// As it is typed after `refundlog`: `log tail`.
  var name: String
  /// Words it needs, in order: `FILE`.
  var words: [String] = []
  /// What may stand behind these any number of times, also none: `NUMBER`.
  var repeatedWord: String?
  /// One sentence without a full stop.
  var summary: String
  /// What else there is to know; lines of at most 110 characters.
  var details = ""
  var options: [CommandOption] = []

  /// The first word of the name where the command belongs to a group: `log`.
  var group: String? { name.contains(" ") ? String(name.prefix { $0 != " " }) : nil }

  var usage: String {
    (["refundlog", name] + allWords + options.filter(\.isCommon).map(\.usage)).joined(separator: " ")
  }

  /// As a list or the usage shows them.
  var allWords: [String] { words + (repeatedWord.map { ["[\($0)…]"] } ?? []) }

  var help: String {
    var text = "\(summary).\n\nUsage: \(usage)\n"
    if !details.isEmpty { text += "\n\(details)\n" }
    if !options.isEmpty {
      let table = Table(rows: options.map { ["  --\($0.name)\($0.value.map { " \($0)" } ?? "")", $0.meaning] })
      text += "\n\(table)"
    }
    return text
  }

  func usageError(_ sentence: String) -> CommandError {
    CommandError(.usage, "\(sentence)\nUsage: \(usage)\nTry refundlog \(name) --help")
  }
}

import Service

/// Counts what Apple says that this release does not know, and tells of each word once while the process lives: a newer
/// release may know it. Only words that Apple signed come here.
final class VocabularyWatch: Sendable {
  /// Words that are told of, each with a counter of its own; those after are counted as one.
  private static let toldMax = 1_000
  private static let others = "other"

  private let counted: MetricFamily<Counter>
  private let told = Monitor<Set<UnknownWords.Word>>([])
  private let logger: Logger

  init(_ registry: MetricRegistry, logger: Logger) {
    self.logger = logger
    counted = registry.counters(
      "refundlog_unknown_words_total",
      "Appended notifications by type, subtype or member in them that this release does not know; they are kept as they came",
      labels: ["kind", "word"])
  }

  /// To be called once for each notification that is in the log now and was not before.
  /// - Parameter event: id of the notification's event.
  func note(_ unknown: UnknownWords, of event: String) {
    for word in unknown.words {
      let (isNew, isTold) = told.withLock { told in
        let isNew = told.count < Self.toldMax && told.insert(word).inserted
        return (isNew, isNew || told.contains(word))
      }
      counted[word.kind.rawValue, isTold ? word.text : Self.others].add()
      guard isNew else { continue }
      logger.warning(
        "the App Store uses a word that this release does not know; the notification is kept as it came, a newer release may know more",
        ["kind": .text(word.kind.rawValue), "word": .text(word.text), "event.id": .text(event)])
    }
  }
}

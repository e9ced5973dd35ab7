import Contracts
import EventLog

/// Whose state a stream changes. Every stream that the projection keeps something of has its line here, and is folded in
/// two places: `Projector`, event by event, and `StreamFolding`, from its beginning; both must give the same.
enum ProjectedStream: Equatable {
  case purchase(PurchaseKey)
  /// By the pseudonym.
  case customer(String)
  /// By bundle id.
  case app(String)
  /// The log's own: whether a restore holds sending up.
  case log
  /// Alarms, and what a later release writes: nothing is kept of them.
  case other

  static let customers = "customer/"
  static let apps = "app/"

  init(_ stream: StreamName) {
    if let id = stream.text.rest(after: Self.customers) {
      self = .customer(id)
    } else if let id = stream.text.rest(after: Self.apps) {
      self = .app(id)
    } else if let key = PurchaseKey(stream: stream.text) {
      self = .purchase(key)
    } else if stream.text == Streams.log {
      self = .log
    } else {
      self = .other
    }
  }
}

extension String {
  /// What follows a prefix; nil where the text begins otherwise.
  func rest(after prefix: String) -> String? {
    utf8.starts(with: prefix.utf8) ? String(self[utf8.index(utf8.startIndex, offsetBy: prefix.utf8.count)...]) : nil
  }
}

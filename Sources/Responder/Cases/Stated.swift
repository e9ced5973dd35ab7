/// A value that somebody stated, with when and where it can be found again.
struct Stated<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  var value: Value
  /// When its author stated it, milliseconds since 1970, UTC.
  var at: Int64
  var by: String
  /// Id of the event.
  var event: String

  /// Takes the newer statement: by its author's time, at the same time the one that came later into the log.
  static func newer(_ known: Self?, _ next: Self) -> Self {
    guard let known, known.at > next.at else { return next }
    return known
  }
}

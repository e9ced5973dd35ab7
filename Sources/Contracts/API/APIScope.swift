/// What a bearer token may do. `operate` may do everything.
public enum APIScope: String, Sendable, Hashable, ClosedWord {
  /// State facts: consents, texts, links, evidence, access.
  case backend
  /// Act on cases as a person: hold, release, prefer, note, answer.
  case support
  /// Look at cases.
  case read
  case operate
}

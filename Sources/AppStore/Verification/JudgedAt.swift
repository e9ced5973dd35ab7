/// The instant at which certificates must be inside their dates.
public enum JudgedAt: Sendable, Equatable {
  /// The instant the payload says it was signed at; a stored token stays verifiable after its leaf has ended.
  case signedDate
  /// One instant for every token, milliseconds since 1970 UTC. `signedDate` must be there all the same.
  case fixed(Int64)
}

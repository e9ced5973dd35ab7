public import Contracts

/// A bearer token as the store knows it: everything but the token.
public struct APIToken: Sendable, Equatable {
  /// Who shows it; stands as `by` in the events that follow. Unique among tokens that are in force.
  public var name: String
  public var scopes: Set<APIScope>
  /// Apps it is for; nil where it is for all.
  public var bundleIDs: Set<String>?
  /// Milliseconds since 1970, UTC.
  public var createdAt: Int64
  /// Since when nobody gets in with it; nil where it is in force.
  public var revokedAt: Int64?
}

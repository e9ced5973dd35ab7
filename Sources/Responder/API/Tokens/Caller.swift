import Contracts

/// Who makes a call, and what they may do.
struct Caller: Equatable, Sendable {
  /// Stands as `by` in the events that follow.
  var name: String
  /// Whose Idempotency-Keys these are: the token's own, so that one made anew under the name of a removed one starts
  /// with none. The settings' token keeps its keys when it is changed.
  var keySpace: String
  var scopes: Set<APIScope>
  /// nil: all apps.
  var bundleIDs: Set<String>?

  func require(_ scope: APIScope) throws(Problem) {
    guard scopes.contains(scope) || scopes.contains(.operate) else {
      throw Problem(.scopeMissing, detail: "this call needs the scope \(scope.rawValue)")
    }
  }

  func require(app: String) throws(Problem) {
    guard bundleIDs?.contains(app) ?? true else { throw Problem(.appNotAllowed) }
  }
}

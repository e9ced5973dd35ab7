/// A kind of call to the App Store Server API. Apple counts each kind for itself.
/// Source: App Store Server API, «Identifying rate limits».
enum CallKind: Hashable, Sendable, CaseIterable {
  /// Send Consumption Information, both versions.
  case consumption
}

/// Whatever takes optional members out of an object: the reader of events stops at the first fault, the reader of
/// calls collects them all. What both read the same way is written once over this.
protocol OptionalMembers {
  associatedtype Failure: Error

  /// The member, or nil where it is absent (or where its fault was noted).
  mutating func optional<Value>(_ name: String, _ shape: Shape<Value>) throws(Failure) -> Value?
}

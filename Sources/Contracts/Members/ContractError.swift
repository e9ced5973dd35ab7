/// Why bytes are not the data of an event: which event, which member, what stood there, what may stand there.
/// Tells kinds and sizes of what was found, never a text that might be a customer's.
public struct ContractError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Name of the event, as in the log's column `type`; `CloudEvent` for the envelope.
  public var event: String
  /// Path of the member, parts joined by dots; empty where the whole data is meant.
  public var member: String
  public var found: String
  public var allowed: String

  public init(event: String, member: String, found: String, allowed: String) {
    self.event = event
    self.member = member
    self.found = found
    self.allowed = allowed
  }

  public var description: String {
    "\(event)\(member.isEmpty ? "" : ".\(member)"): found \(found), allowed is \(allowed)"
  }
}

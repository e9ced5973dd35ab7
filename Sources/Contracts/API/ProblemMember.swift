import JSON

/// One member of a request that is not as it should be.
public struct ProblemMember: Sendable, Hashable {
  /// Path of the member, parts joined by dots, places of a list in brackets: `values.consumptionPercentage`.
  public var member: String
  /// What is wrong with it and what is allowed; never what was sent, where that may be a customer's.
  public var detail: String

  public init(member: String, detail: String) {
    self.member = member
    self.detail = detail
  }

  var json: JSONValue { ["member": .string(member), "detail": .string(detail)] }
}

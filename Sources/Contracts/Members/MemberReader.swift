public import JSON

/// Takes the members of one object out, each by its name and shape. What nobody took is left over and kept.
public struct MemberReader: OptionalMembers {
  private let event: String
  private let path: String
  /// The members that were not taken yet, in order of appearance.
  public private(set) var rest: JSONObject

  init(event: String, path: String = "", _ members: JSONObject) {
    self.event = event
    self.path = path
    rest = members
  }

  /// The member, which must be there.
  mutating func required<Value>(_ name: String, _ shape: Shape<Value>) throws(ContractError) -> Value {
    guard let value = try optional(name, shape) else {
      throw error(name, found: "nothing", allowed: shape.allowed)
    }
    return value
  }

  /// The member, or nil where it is absent. A null is a value, and hardly ever of the right shape.
  mutating func optional<Value>(_ name: String, _ shape: Shape<Value>) throws(ContractError) -> Value? {
    guard let json = rest[name] else { return nil }
    guard let value = shape.read(json) else {
      throw error(name, found: Found.words(for: json), allowed: shape.allowed)
    }
    rest[name] = nil
    return value
  }

  /// `environment` and `transactionId`, which together name a purchase.
  mutating func purchase() throws(ContractError) -> PurchaseKey {
    let environment = try required("environment", .text)
    let transactionID = try required("transactionId", .text)
    do {
      return try PurchaseKey(environment: environment, transactionID: transactionID)
    } catch {
      switch error {
      case .environment(_, let allowed):
        throw self.error("environment", found: "a text that is none", allowed: allowed)
      case .transactionID(_, let allowed):
        throw self.error("transactionId", found: "a text that is none", allowed: allowed)
      }
    }
  }

  /// An error about a member that is here but makes no sense beside the others.
  func error(_ name: String, found: String, allowed: String) -> ContractError {
    ContractError(event: event, member: path.isEmpty ? name : "\(path).\(name)", found: found, allowed: allowed)
  }

  /// A reader for the members of an object that was taken out of this one.
  func inside(_ name: String, _ members: JSONObject) -> Self {
    Self(event: event, path: path.isEmpty ? name : "\(path).\(name)", members)
  }
}

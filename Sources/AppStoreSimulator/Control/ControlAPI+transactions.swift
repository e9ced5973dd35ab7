import AppStore
import HTTPTypes
import JSON
import Service

/// `PUT /simulator/v1/transactions/{id}`, and the member `transaction` of other calls.
extension ControlAPI {
  func putTransaction(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let given = call.request.body.isEmpty ? [:] : try call.members().object
    let purchase = try template.purchase(call.parameters["id"]!, given: given, now: clock.now())
    let isNew = try ledger.register(purchase)
    return .json(JSONValue.object(purchase.members).bytes(), status: isNew ? 201 : 200)
  }

  /// The purchase that a call is about: an id, or members. Registered where it is not known; members go over those of one
  /// that is.
  /// - Parameters:
  ///   - type: of one that is not known, where nobody says.
  ///   - isNew: it is bought now, not a day ago.
  func purchase(
    _ call: CallMembers, app: StoreApp, type: ProductType = .consumable, isNew: Bool = false
  ) throws(ControlError) -> Purchase {
    let given: JSONObject
    let id: String
    switch call["transaction"] {
    case .string(let text): (given, id) = ([:], text)
    case .object(let members):
      if let stated = members["transactionId"], stated.string == nil {
        throw .badRequest("the member transactionId is not a text")
      }
      (given, id) = (members, members["transactionId"]?.string ?? PurchaseTemplate.newTransactionId())
    case nil: (given, id) = ([:], PurchaseTemplate.newTransactionId())
    default: throw .badRequest("transaction is neither an id as text nor an object of members")
    }
    let now = clock.now()
    guard var known = ledger.purchase(id) else {
      let purchase =
        isNew
        ? try template.purchase(id, given: given, app: app, type: type, purchasedAt: now)
        : try template.purchase(id, given: given, app: app, type: type, now: now)
      try ledger.register(purchase)
      return purchase
    }
    for (key, wanted) in [("bundleId", app.bundleId), ("environment", app.environment.rawValue)]
    where call[key] != nil && known.members[key]?.string != wanted {
      throw .conflict("the purchase \(id) has another \(key); take another id for another app or environment")
    }
    if !given.isEmpty {
      known.members.merge(given)
      // Only to be told what cannot be.
      _ = try template.purchase(id, given: known.members, now: now)
      try ledger.register(known)
    }
    return known
  }
}

import AppStore
import HTTPTypes
import JSON

/// `POST /simulator/v1/events`: whatever Apple tells, by type and subtype.
extension ControlAPI {
  func postEvent(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let members = try call.members()
    let event = try StoreEvent(members, app: template.app)
    if event.kind.type == .consumptionRequest { return try askForRefund(members, call, app: event.app) }
    guard event.kind.subject != .app else {
      return try hand(over: call.reply, lane: nil) { [ledger] now in
        ledger.edit { event.happen(to: nil, in: &$0, now: now) }
      }
    }
    let purchase = try purchase(
      members, app: event.app, type: event.kind.subject == .subscription ? .autoRenewableSubscription : .consumable,
      isNew: event.subtype == .initialBuy || event.kind.type == .oneTimeCharge)
    if event.kind.subject == .subscription, !purchase.isAutoRenewable {
      throw .conflict("the purchase \(purchase.transactionId) is no auto-renewable subscription")
    }
    if event.kind.type == .oneTimeCharge, purchase.isAutoRenewable {
      throw .conflict("ONE_TIME_CHARGE is not about auto-renewable subscriptions; theirs is SUBSCRIBED")
    }
    if let decision = event.decision { try Self.check(decision, of: purchase) }
    let id = purchase.transactionId
    return try hand(over: call.reply, lane: purchase.originalTransactionId) { [ledger] now in
      ledger.edit { event.happen(to: id, in: &$0, now: now) }
    }
  }
}

import AppStore
import HTTPTypes
import JSON

/// `POST /simulator/v1/refund-requests`
extension ControlAPI {
  static let refundRequestMembers = ["transaction", "consumptionRequestReason", "typed", "scenario"] + StoreApp.members

  func postRefundRequest(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let members = try call.members(Self.refundRequestMembers)
    return try askForRefund(members, call, app: try StoreApp(members, or: template.app))
  }

  /// A customer asks for money back.
  func askForRefund(_ members: CallMembers, _ call: ControlCall, app: StoreApp) throws(ControlError) -> HTTPResponse? {
    let typed = try members.text("typed")
    // There is something to type under «Other» only.
    let given = members["consumptionRequestReason"] ?? (typed == nil ? "UNINTENDED_PURCHASE" : "OTHER")
    guard given.isNull || given.string?.isEmpty == false else {
      throw .badRequest("consumptionRequestReason is neither a text, such as LEGAL or OTHER, nor null for none")
    }
    var scenario = player.standard
    if let told = members["scenario"] {
      scenario = try Scenario(told, over: player.standard)
    } else if typed != nil {
      scenario = try Scenario("SHEET", over: player.standard)
    }
    guard typed == nil || scenario.decided == .bySheet else {
      throw .badRequest("typed is what a customer types into the sandbox's sheet: it goes with the scenario SHEET")
    }
    let purchase = try purchase(members, app: app)
    let request = ScenarioPlayer.Request(
      transactionId: purchase.transactionId, reason: given.string, typed: typed, scenario: scenario)
    // The purchase is as it is when the notification is signed, not as it was when it was asked for.
    return try hand(over: call.reply, lane: purchase.originalTransactionId) { now in player.open(request, now: now) }
  }
}

import AppStore
import HTTPTypes
import JSON

/// `POST /simulator/v1/notifications`: any payload at all; `GET`: what was posted, attempt by attempt, and each body.
extension ControlAPI {
  func postNotification(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    let payload = try call.members().object
    // Who asks about a purchase knows it: answers for it are judged from then on.
    guard let members = payload["data"]?["signedTransactionInfo"]?.object, let id = members["transactionId"]?.string,
      TransactionID.isWellFormed(id)
    else { return try hand(over: call.reply, lane: nil) { _ in payload } }
    let purchase = Purchase(transactionId: id, members: members)
    try ledger.register(purchase)
    let type = payload["notificationType"]?.string ?? ""
    if Decision.Kind(rawValue: type) != nil {
      ledger.edit { book in
        book.change(id) { $0.state = .decided }
        return ()
      }
    }
    let isRequest = type == NotificationType.consumptionRequest.rawValue
    let request = ScenarioPlayer.Request(
      transactionId: id, reason: payload["data"]?["consumptionRequestReason"]?.string, scenario: player.standard)
    return try hand(over: call.reply, lane: purchase.originalTransactionId) { now in
      if isRequest { _ = player.open(request, now: now) }
      return payload
    }
  }

  /// The exact body that was posted, for posting it by hand.
  func body(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    guard let body = ledger.body(of: call.parameters["uuid"]!) else {
      throw .notFound("there is no body of that notification; the newest \(Ledger.recordsMax) are kept")
    }
    return .json(body)
  }

  func notifications(_ call: ControlCall) throws(ControlError) -> HTTPResponse? {
    ControlCall.list("notifications", ledger.posts(of: try call.transactionOfQuery()).map(\.json))
  }
}

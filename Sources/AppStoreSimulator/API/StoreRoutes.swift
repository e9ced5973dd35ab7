import AppStore
import HTTPServer
import HTTPTypes
import Service

/// The calls of the App Store Server API that one server offers.
struct StoreRoutes: Sendable {
  let gate: StoreGate
  let finder: PurchaseFinder
  let tests: TestNotificationEndpoint
  /// Called after an answer was accepted.
  let accepted: @Sendable (_ transactionId: String, _ now: Int64) -> Void

  func add(to router: inout HTTPRouter<HTTPRouteHandler>) {
    for version in ConsumptionVersion.allCases {
      let consumption = ConsumptionEndpoint(gate: gate, version: version, accepted: accepted)
      router.add(.put, "/inApps/v\(version.rawValue)/transactions/consumption/{transactionId}") {
        consumption.take($0, transactionId: $1["transactionId"]!, $2)
      }
    }
    let info = TransactionInfoEndpoint(finder: finder)
    add(.get, "v1/transactions/{transactionId}", .transactionInfo, to: &router) {
      (_, id, caller) throws(StoreError) in try info.answer(id, caller)
    }
    let history = TransactionHistoryEndpoint(finder: finder)
    add(.get, "v2/history/{transactionId}", .transactionHistory, to: &router) {
      (request, id, caller) throws(StoreError) in try history.answer(id, request.target, caller)
    }
    let refunds = RefundHistoryEndpoint(finder: finder)
    add(.get, "v2/refund/lookup/{transactionId}", .refundHistory, to: &router) {
      (request, id, caller) throws(StoreError) in try refunds.answer(id, request.target, caller)
    }
    let account = AccountTokenEndpoint(finder: finder)
    add(.put, "v1/transactions/{transactionId}/appAccountToken", .setAppAccountToken, to: &router) {
      (request, id, caller) throws(StoreError) in try account.answer(id, request.body, caller)
    }
    let notifications = NotificationHistoryEndpoint(finder: finder)
    add(.post, "v1/notifications/history", .notificationHistory, to: &router) {
      (request, _, caller) throws(StoreError) in try notifications.answer(request, caller)
    }
    add(.post, "v1/notifications/test", .testNotification, to: &router) {
      (_, _, caller) throws(StoreError) in try tests.request(caller)
    }
    add(.get, "v1/notifications/test/{token}", .testNotificationStatus, to: &router) {
      (_, token, caller) throws(StoreError) in try tests.status(token, caller)
    }
    // The sandbox has no such call.
    guard gate.environment == .production else { return }
    let orders = OrderLookupEndpoint(finder: finder)
    add(.get, "v1/lookup/{orderId}", .orderLookup, to: &router) {
      (_, id, caller) throws(StoreError) in try orders.answer(id, caller)
    }
  }

  /// - Parameter answer: is given the one parameter of the path, or the empty text.
  private func add(
    _ method: HTTPMethod, _ path: String, _ call: StoreCall, to router: inout HTTPRouter<HTTPRouteHandler>,
    _ answer: @escaping @Sendable (HTTPRequest, String, StoreGate.Caller) throws(StoreError) -> HTTPResponse
  ) {
    router.add(method, "/inApps/\(path)") { [gate] request, parameters, reply in
      let parameter = parameters.values.first ?? ""
      gate.serve(request, call, transactionId: parameters["transactionId"], reply) {
        (caller) throws(StoreError) in try answer(request, parameter, caller)
      }
    }
  }
}

import AppStore
import HTTPServer
import HTTPTypes
import JSON
import Service

/// What the person or test at the controls can ask for, under `/simulator/v1/`. Handlers run on network threads and hand
/// posting over to the postman; the reply follows once the receiver has replied. Each call has a file of its own.
struct ControlAPI: Sendable {
  let ledger: Ledger
  let postman: Postman
  let player: ScenarioPlayer
  let faults: FaultBook
  let scenarios: ScenarioShelf
  let template: PurchaseTemplate
  let clock: WallClock

  func addRoutes(to router: inout HTTPRouter<HTTPRouteHandler>) {
    add(.put, "transactions/{id}", to: &router) { (call) throws(ControlError) in try putTransaction(call) }
    add(.put, "orders/{id}", to: &router) { (call) throws(ControlError) in try putOrder(call) }
    add(.post, "refund-requests", to: &router) { (call) throws(ControlError) in try postRefundRequest(call) }
    add(.post, "decisions", to: &router) { (call) throws(ControlError) in try postDecision(call) }
    add(.post, "events", to: &router) { (call) throws(ControlError) in try postEvent(call) }
    add(.post, "notifications", to: &router) { (call) throws(ControlError) in try postNotification(call) }
    add(.get, "notifications", to: &router) { (call) throws(ControlError) in try notifications(call) }
    add(.get, "notifications/{uuid}/body", to: &router) { (call) throws(ControlError) in try body(call) }
    add(.get, "answers", to: &router) { (call) throws(ControlError) in try answers(call) }
    add(.post, "scenarios", to: &router) { (call) throws(ControlError) in try postScenario(call) }
    add(.get, "scenarios", to: &router) { _ in listScenarios() }
    add(.get, "calls", to: &router) { (call) throws(ControlError) in try calls(call) }
    add(.post, "faults", to: &router) { (call) throws(ControlError) in try postFault(call) }
    add(.get, "faults", to: &router) { _ in faultsOnOrder() }
    add(.delete, "faults", to: &router) { _ in deleteFaults() }
    add(.delete, "faults/{id}", to: &router) { (call) throws(ControlError) in try deleteFault(call) }
  }

  /// A reply of the router itself, in this API's form.
  static func plain(_ response: HTTPResponse) -> HTTPResponse {
    guard response.status >= 400 else { return response }
    let sentence =
      response.status == 404
      ? "there is nothing at this path; --help shows what there is" : "this path has other methods, see Allow"
    let body: JSONValue = ["error": .string(sentence)]
    return .json(body.bytes(), status: response.status, fields: response.fields)
  }

  /// - Parameter body: gives the reply, or nil where it has handed that on.
  private func add(
    _ method: HTTPMethod, _ path: String, to router: inout HTTPRouter<HTTPRouteHandler>,
    _ body: @escaping @Sendable (ControlCall) throws(ControlError) -> HTTPResponse?
  ) {
    router.add(method, "/simulator/v1/\(path)") { request, parameters, reply in
      do throws(ControlError) {
        if let response = try body(
          ControlCall(request: request, parameters: parameters, reply: { reply($0) }))
        {
          reply(response)
        }
      } catch {
        reply(error.response)
      }
    }
  }

  /// Hands a notification to the postman together with the reply.
  /// - Parameters:
  ///   - lane: what is posted in order with it, mostly the purchase.
  ///   - compose: makes the payload when it is its turn.
  /// - Returns: nil, as the reply comes later.
  func hand(
    over reply: @escaping @Sendable (HTTPResponse) -> Void, lane: String?,
    _ compose: @escaping @Sendable (_ now: Int64) -> JSONObject?
  ) throws(ControlError) -> HTTPResponse? {
    let job = Postman.Job(due: clock.now(), lane: lane, compose: compose) { record in
      guard let record else {
        return reply(ControlError.tooMany("nothing was posted: the simulator is full or stopping").response)
      }
      // What is put off has not been tried; no reply to what was tried is a fault of the way there. Both show.
      let status = record.status != nil ? 200 : record.attempts.isEmpty && !record.faults.isEmpty ? 202 : 502
      reply(.json(record.json.bytes(), status: status))
    }
    guard postman.take(job) else {
      throw .tooMany("\(PostQueue.Kind.asked.max) notifications are waiting to be posted, or the simulator is stopping")
    }
    return nil
  }
}

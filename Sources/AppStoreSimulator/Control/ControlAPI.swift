import AppStore
import HTTPServer
import HTTPTypes
import JSON
import Service

/// What the person or test at the controls can ask for, under `/simulator/v1/`. Handlers run on network threads and hand
/// posting over to the postman; the reply follows once the receiver has replied.
struct ControlAPI: Sendable {
  let ledger: Ledger
  let postman: Postman
  let automatic: AutomaticDecision
  let template: PurchaseTemplate
  let clock: WallClock

  func addRoutes(to router: inout HTTPRouter<HTTPRouteHandler>) {
    router.add(.put, "/simulator/v1/transactions/{id}") { request, parameters, reply in
      Self.answer(reply) { () throws(ControlError) in try putTransaction(parameters["id"]!, request) }
    }
    router.add(.post, "/simulator/v1/refund-requests") { request, _, reply in
      Self.answer(reply) { () throws(ControlError) in try postRefundRequest(request, reply) }
    }
    router.add(.post, "/simulator/v1/decisions") { request, _, reply in
      Self.answer(reply) { () throws(ControlError) in try postDecision(request, reply) }
    }
    router.add(.post, "/simulator/v1/notifications") { request, _, reply in
      Self.answer(reply) { () throws(ControlError) in try postNotification(request, reply) }
    }
    router.add(.get, "/simulator/v1/notifications") { _, _, reply in
      reply(Self.list("notifications", ledger.posts().map(\.json)))
    }
    router.add(.get, "/simulator/v1/answers") { request, _, reply in
      Self.answer(reply) { () throws(ControlError) in try answers(request) }
    }
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

  // MARK: Calls

  private func putTransaction(_ id: String, _ request: HTTPRequest) throws(ControlError) -> HTTPResponse {
    let given = request.body.isEmpty ? [:] : try Self.object(request)
    let purchase = try template.purchase(id, given: given, now: clock.now())
    let isNew = try ledger.register(purchase)
    return .json(JSONValue.object(purchase.members).bytes(), status: isNew ? 201 : 200)
  }

  private func postRefundRequest(_ request: HTTPRequest, _ reply: HTTPReply) throws(ControlError) -> HTTPResponse? {
    let object = try Self.object(request, allowed: ["transaction", "consumptionRequestReason"])
    let given = object["consumptionRequestReason"] ?? "UNINTENDED_PURCHASE"
    guard given.isNull || given.string?.isEmpty == false else {
      throw .badRequest("consumptionRequestReason is neither a text, such as LEGAL or OTHER, nor null for none")
    }
    let reason = given.string
    let purchase = try purchase(object["transaction"])
    return try hand(over: reply) { now in
      automatic.requestPosted(purchase.transactionId, now: now)
      // As it is when it is signed, not as it was when it was asked for.
      return Notices.consumptionRequest(ledger.purchase(purchase.transactionId) ?? purchase, reason: reason)
    }
  }

  /// The purchase that a request is about: an id, or members; registered where it is not known.
  private func purchase(_ given: JSONValue?) throws(ControlError) -> Purchase {
    let purchase: Purchase
    switch given {
    case .string(let id):
      if let known = ledger.purchase(id) { return known }
      purchase = try template.purchase(id, given: [:], now: clock.now())
    case .object(let members):
      if let stated = members["transactionId"], stated.string == nil {
        throw .badRequest("the member transactionId is not a text")
      }
      let id = members["transactionId"]?.string ?? PurchaseTemplate.newTransactionId()
      purchase = try template.purchase(id, given: members, now: clock.now())
    case nil: purchase = try template.purchase(PurchaseTemplate.newTransactionId(), given: [:], now: clock.now())
    default: throw .badRequest("transaction is neither an id as text nor an object of members")
    }
    try ledger.register(purchase)
    return purchase
  }

  private func postDecision(_ request: HTTPRequest, _ reply: HTTPReply) throws(ControlError) -> HTTPResponse? {
    let object = try Self.object(
      request, allowed: ["transactionId", "decision", "revocationType", "revocationPercentage"])
    guard let id = object["transactionId"]?.string else { throw .badRequest("transactionId is not a text") }
    let decision = try Decision(object)
    guard let known = ledger.purchase(id) else {
      throw .notFound("there is no purchase \(id.prefix(64)): PUT /simulator/v1/transactions/{id} first")
    }
    if decision.kind == .reversed, !known.isRefunded {
      throw .conflict("the purchase \(id) was not refunded, so nothing can be reversed")
    }
    return try hand(over: reply) { now in
      ledger.change(id) { decision.apply(to: &$0, now: now) }.map { Notices.decision(decision.notificationType, $0) }
    }
  }

  private func postNotification(_ request: HTTPRequest, _ reply: HTTPReply) throws(ControlError) -> HTTPResponse? {
    let payload = try Self.object(request)
    // Who asks about a purchase knows it: answers for it are judged from then on.
    if let members = payload["data"]?["signedTransactionInfo"]?.object, let id = members["transactionId"]?.string,
      TransactionID.isWellFormed(id)
    {
      try ledger.register(Purchase(transactionId: id, members: members))
      switch payload["notificationType"]?.string ?? "" {
      case NotificationType.consumptionRequest.rawValue:
        return try hand(over: reply) { now in
          automatic.requestPosted(id, now: now)
          return payload
        }
      case let type where Decision.Kind(rawValue: type) != nil:
        _ = ledger.change(id) { $0.state = .decided }
      default: break
      }
    }
    return try hand(over: reply) { _ in payload }
  }

  private func answers(_ request: HTTPRequest) throws(ControlError) -> HTTPResponse {
    guard let items = request.target.queryItems, items.allSatisfy({ $0.name == "transactionId" }), items.count <= 1
    else { throw .badRequest("the query is nothing but one transactionId, or empty") }
    return Self.list("answers", ledger.answers(of: items.first?.value).map(\.json))
  }

  // MARK: Replies

  /// Hands a notification to the postman together with the reply.
  /// - Returns: nil, as the reply comes later.
  private func hand(
    over reply: HTTPReply, _ compose: @escaping @Sendable (_ now: Int64) -> JSONObject?
  ) throws(ControlError) -> HTTPResponse? {
    let isTaken = postman.take(
      Postman.Job(due: 0, compose: compose) { record in
        // No reply is a fault of the way there, and the caller has to see that.
        reply(.json(record.json.bytes(), status: record.status == nil ? 502 : 200))
      })
    guard isTaken else {
      throw .tooMany("\(Postman.waitingMax) notifications are waiting to be posted, or the simulator is stopping")
    }
    return nil
  }

  private static func answer(_ reply: HTTPReply, _ body: () throws(ControlError) -> HTTPResponse?) {
    do throws(ControlError) {
      if let response = try body() { reply(response) }
    } catch {
      reply(error.response)
    }
  }

  private static func list(_ name: String, _ elements: [JSONValue]) -> HTTPResponse {
    .json(JSONValue.object([name: .array(elements)]).bytes())
  }

  private static func object(_ request: HTTPRequest, allowed: [String]? = nil) throws(ControlError) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(bytes: request.body) } catch {
      throw .badRequest("the body is no JSON: \(error)")
    }
    guard let object = value.object else { throw .badRequest("the body is not a JSON object") }
    if let allowed, let unknown = object.keys.first(where: { !allowed.contains($0) }) {
      throw .badRequest("\(unknown.prefix(60)) is not known here; known are \(allowed.joined(separator: ", "))")
    }
    return object
  }
}

import HTTPTypes
import JSON

/// One step of a scenario file: what is done, when, and where it stands in the file.
struct ScenarioStep: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    /// A call of the control API, as if it had come from outside.
    case call(HTTPMethod, path: String, parameters: [String: String], body: JSONObject)
    /// Until an answer about a purchase was accepted.
    case awaitAnswer(transactionId: String, withinMilliseconds: Int64)
  }

  /// What a file calls it.
  enum Word: String, CaseIterable, Sendable {
    case transaction, order, refundRequest, decision, event, notification, fault, clearFaults, awaitAnswer
  }

  /// A year of the set clock.
  static let timeMax: Int64 = 31_536_000_000
  /// Members of every step.
  static let common = ["do", "afterMilliseconds", "comment"]

  let word: Word
  let action: Action
  /// From the step before, or from the start, on the set clock.
  let afterMilliseconds: Int64
  let line: Int

  /// Reads a step, as far as it can be judged before it is done.
  /// - Parameter app: of the settings.
  init(_ object: JSONObject, line: Int, app: StoreApp) throws(ControlError) {
    self.line = line
    let call = CallMembers(object)
    guard let word = try call.word("do", Word.self) else {
      throw .badRequest("do is missing: one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.word = word
    afterMilliseconds = try call.integer("afterMilliseconds", in: 0...Self.timeMax) ?? 0
    _ = try call.text("comment")
    var body = object
    for key in Self.common { body[key] = nil }
    switch word {
    case .transaction:
      let id = try Self.name("transactionId", of: body)
      _ = try PurchaseTemplate(app: app).purchase(id, given: body, now: 0)
      action = .call(.put, path: "transactions/\(id)", parameters: ["id": id], body: body)
    case .order:
      let id = try Self.name("orderId", of: body)
      body["orderId"] = nil
      try CallMembers(body).refuseOthers(than: ["transactions"])
      guard try CallMembers(body).texts("transactions", max: 100)?.isEmpty == false else {
        throw .badRequest("transactions is missing: the ids of the purchases of the order")
      }
      action = .call(.put, path: "orders/\(id)", parameters: ["id": id], body: body)
    case .refundRequest:
      try CallMembers(body).refuseOthers(than: ControlAPI.refundRequestMembers)
      if let scenario = body["scenario"] { _ = try Scenario(scenario, over: Scenario()) }
      _ = try StoreApp(CallMembers(body), or: app)
      action = .call(.post, path: "refund-requests", parameters: [:], body: body)
    case .decision:
      try CallMembers(body).refuseOthers(than: ["transactionId", "decision"] + Decision.refundMembers)
      _ = try Self.name("transactionId", of: body)
      guard let kind = try CallMembers(body).word("decision", Decision.Kind.self) else {
        throw .badRequest(
          "decision is missing: one of \(Decision.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      _ = try Decision(kind, body)
      action = .call(.post, path: "decisions", parameters: [:], body: body)
    case .event:
      _ = try StoreEvent(CallMembers(body), app: app)
      action = .call(.post, path: "events", parameters: [:], body: body)
    case .notification:
      guard let payload = body["payload"]?.object else {
        throw .badRequest("payload is missing: the decoded payload to be signed, an object")
      }
      try CallMembers(body).refuseOthers(than: ["payload"])
      action = .call(.post, path: "notifications", parameters: [:], body: payload)
    case .fault:
      _ = try FaultOrder(body, number: 0)
      action = .call(.post, path: "faults", parameters: [:], body: body)
    case .clearFaults:
      try CallMembers(body).refuseOthers(than: [])
      action = .call(.delete, path: "faults", parameters: [:], body: [:])
    case .awaitAnswer:
      let members = CallMembers(body)
      try members.refuseOthers(than: ["transactionId", "withinMilliseconds"])
      action = .awaitAnswer(
        transactionId: try Self.name("transactionId", of: body),
        withinMilliseconds: try members.integer("withinMilliseconds", in: 1...Self.timeMax) ?? 43_200_000)
    }
  }

  private static func name(_ key: String, of body: JSONObject) throws(ControlError) -> String {
    guard let name = try CallMembers(body).text(key) else { throw .badRequest("\(key) is missing: a text") }
    return name
  }
}

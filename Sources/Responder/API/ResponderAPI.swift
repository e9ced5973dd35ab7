import Contracts
import EventLog
import HTTPServer
import HTTPTypes
import JSON
import Service

/// The calls of the developer's back end: who agreed, and what is known of a purchase.
struct BackendAPI: Sendable {
  let log: any EventLog
  let recorder: Recorder
  /// Bundle ids that statements are taken for.
  let apps: Set<String>
  let guarding: BearerGuard
  let clock: WallClock
  let workers: WorkerPool
  let logger: Logger

  func routes() -> HTTPRouter<HTTPRouteHandler> {
    var router = HTTPRouter<HTTPRouteHandler>()
    router.add(.put, "/v1/consents") { request, _, reply in
      answer(request, reply) { () throws(Problem) in try consent(request) }
    }
    router.add(.put, "/v1/evidence/{environment}/{transactionId}") { request, parameters, reply in
      answer(request, reply) { () throws(Problem) in try evidence(request, parameters) }
    }
    return router
  }

  /// The token is checked on the network thread; what reads and writes the disk runs on a worker.
  private func answer(
    _ request: HTTPRequest, _ reply: HTTPReply, _ body: @escaping @Sendable () throws(Problem) -> Recorder.Receipt
  ) {
    do throws(Problem) {
      try guarding.check(request)
      try workers.run {
        do throws(Problem) { reply(.receipt(try body())) } catch { refuse(error, request, reply) }
      }
    } catch { refuse(error, request, reply) }
  }

  private func refuse(_ problem: Problem, _ request: HTTPRequest, _ reply: HTTPReply) {
    reply(.problem(problem))
    logger.warning(
      "call refused",
      [
        "problem": .text(problem.code.rawValue), "path": .text(request.target.path),
        "from": .text(request.remoteAddress),
      ])
  }

  private func consent(_ request: HTTPRequest) throws(Problem) -> Recorder.Receipt {
    let call = try ConsentCall(body: request.body, now: clock.now())
    try check(call.bundleID)
    guard let digest = call.textDigest else {
      throw Problem(.consentTextUnknown, detail: "send textDigest: the SHA-256 of the text's UTF-8 bytes, in hex")
    }
    let account = LowerCase.ascii(call.account)
    let customer = log.keyedDigest([Array(call.bundleID.utf8), Array(account.utf8)])
    return try recorder.record(
      Recorder.Statement(
        prefix: .consent, stream: StreamName(Streams.customer(customer)), app: call.bundleID, customer: customer,
        statedAt: call.statedAt, type: .consentRecorded,
        data: call.event(textDigest: digest, by: guarding.name).encoded()),
      key: request.fields["Idempotency-Key"], scope: guarding.name)
  }

  private func evidence(_ request: HTTPRequest, _ parameters: [String: String]) throws(Problem) -> Recorder.Receipt {
    let key: PurchaseKey
    do throws(PurchaseKeyError) {
      key = try PurchaseKey(
        environment: parameters["environment"] ?? "", transactionID: parameters["transactionId"] ?? "")
    } catch { throw Problem(.purchaseInvalid, detail: error.description) }
    let call = try EvidenceCall(body: request.body, now: clock.now())
    try check(call.bundleID)
    return try recorder.record(
      Recorder.Statement(
        prefix: .evidence, stream: StreamName(key.stream), app: call.bundleID, environment: key.environment,
        statedAt: call.statedAt, type: .evidenceRecorded, data: call.event(of: key, by: guarding.name).encoded()),
      key: request.fields["Idempotency-Key"], scope: guarding.name)
  }

  private func check(_ bundleID: String) throws(Problem) {
    guard apps.contains(bundleID) else {
      throw Problem(
        .invalidMembers,
        errors: [ProblemMember(member: "bundleId", detail: "is no app of this responder's settings")])
    }
  }
}

extension HTTPResponse {
  static func problem(_ problem: Problem) -> HTTPResponse {
    .content(
      problem.encoded(), type: Problem.mediaType, status: problem.status,
      fields: problem.code == .unavailable
        ? ["Retry-After": "5"] : problem.code == .unauthorised ? ["WWW-Authenticate": "Bearer"] : [:])
  }

  /// 201 where the statement is new, 200 where the log held it already.
  static func receipt(_ receipt: Recorder.Receipt) -> HTTPResponse {
    let body: JSONValue = [
      "id": .string(receipt.id), "position": .string(String(receipt.position)), "recorded": .bool(receipt.isNew),
    ]
    return .json(body.bytes(), status: receipt.isNew ? 201 : 200)
  }
}

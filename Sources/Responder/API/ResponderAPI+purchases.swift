import Contracts
import EventLog
import HTTPTypes
import Service

extension ResponderAPI {
  /// `PUT /v1/evidence/{environment}/{transactionId}`
  func evidence(_ call: Call) throws(Problem) -> HTTPResponse {
    let purchase = try call.purchase()
    let evidence = try EvidenceCall(body: call.body, now: clock.now())
    return .receipt(try record(evidence, of: purchase, call.idempotencyKey, call.caller))
  }

  /// `POST /v1/evidence`
  func evidences(_ call: Call) throws(Problem) -> HTTPResponse {
    try batch(call) { item throws(Problem) in
      let (purchase, evidence) = try EvidenceCall.item(item, now: clock.now())
      return try record(evidence, of: purchase, item.key, call.caller)
    }
  }

  private func record(
    _ evidence: EvidenceCall, of purchase: PurchaseKey, _ key: String?, _ caller: Caller
  ) throws(Problem) -> Recorder.Receipt {
    try check(app: evidence.bundleID, caller)
    let story = try story(of: purchase, askedBy: evidence.bundleID)
    return try recorder.record(
      Recorder.Statement(
        prefix: .evidence, stream: StreamName(purchase.stream), app: evidence.bundleID,
        environment: purchase.environment, customer: story.customer(of: evidence.bundleID),
        statedAt: evidence.statedAt, type: .evidenceRecorded,
        data: evidence.event(of: purchase, by: caller.name).encoded()),
      key: key, scope: caller.keySpace)
  }

  /// `PUT /v1/links/{environment}/{transactionId}`
  func link(_ call: Call) throws(Problem) -> HTTPResponse {
    let purchase = try call.purchase()
    let link = try LinkCall(body: call.body, now: clock.now())
    try check(app: link.bundleID, call.caller)
    _ = try story(of: purchase, askedBy: link.bundleID)
    // The pseudonym stands beside it, so that the case finds the customer and an erasure finds the event.
    return .receipt(
      try recorder.record(
        Recorder.Statement(
          prefix: .link, stream: StreamName(purchase.stream), app: link.bundleID, environment: purchase.environment,
          customer: customer(link.account, app: link.bundleID), statedAt: link.statedAt, type: .customerLinked,
          data: link.event(of: purchase, by: call.caller.name).encoded()),
        key: call.idempotencyKey, scope: call.caller.keySpace))
  }

  /// `PUT /v1/access/{environment}/{transactionId}`
  func access(_ call: Call) throws(Problem) -> HTTPResponse {
    let purchase = try call.purchase()
    let access = try AccessCall(body: call.body, now: clock.now())
    try check(app: access.bundleID, call.caller)
    let story = try story(of: purchase, askedBy: access.bundleID)
    return .receipt(
      try recorder.record(
        Recorder.Statement(
          prefix: .access, stream: StreamName(purchase.stream), app: access.bundleID,
          environment: purchase.environment, customer: story.customer(of: access.bundleID),
          statedAt: access.statedAt, type: .accessConfirmed,
          data: access.event(by: call.caller.name).encoded()),
        key: call.idempotencyKey, scope: call.caller.keySpace))
  }
}

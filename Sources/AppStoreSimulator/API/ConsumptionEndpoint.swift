import AppStore
import HTTPServer
import HTTPTypes
import JSON
import Service

/// Send Consumption Information, version 2, as Apple's server answers it, but for the faults on order. Remembers each call.
struct ConsumptionEndpoint: Sendable {
  let tokens: BearerTokenJudge
  let limit: RateLimit
  let ledger: Ledger
  let faults: FaultBook
  let lateReplies: LateReplies
  /// Whose purchases are found here.
  let environment: ServerEnvironment
  let clock: WallClock
  let log: Logger
  /// Called after an answer was accepted.
  let accepted: @Sendable (_ transactionId: String, _ now: Int64) -> Void

  func take(_ request: HTTPRequest, transactionId: String, _ reply: HTTPReply) {
    let (response, faults) = answer(request, transactionId: transactionId)
    send(response, faults, reply)
  }

  /// Judges and remembers the call.
  /// - Returns: the response, nil where the connection is cut instead, and the faults that apply to how it is sent.
  func answer(_ request: HTTPRequest, transactionId: String) -> (response: HTTPResponse?, faults: [Fault]) {
    let now = clock.now()
    let ordered = faults.take(.answer, transactionId: transactionId)
    var record = AnswerRecord(
      transactionId: String(transactionId.prefix(64)), receivedAt: now,
      body: String(decoding: request.body.prefix(AnswerRecord.bodyBytesMax), as: UTF8.self))
    record.faults = ordered.map(\.name)
    let response = ordered.contains(.cut) ? nil : respond(to: request, transactionId, ordered, now, &record)
    record.status = response?.status
    ledger.note(record)
    log.info(
      "answer judged",
      [
        "transaction.id": .text(record.transactionId), "status": .integer(Int64(record.status ?? 0)),
        "error": .text(record.error?.name ?? ""), "remarks": .text(record.remarks.joined(separator: "; ")),
        "faults": .text(record.faults.joined(separator: " ")),
      ])
    if response?.status == 202 { accepted(transactionId, now) }
    return (ordered.contains(.lostReply) ? nil : response, ordered)
  }

  /// - Parameter response: nil cuts the connection.
  private func send(_ response: HTTPResponse?, _ ordered: [Fault], _ reply: HTTPReply) {
    var skew: Int64?
    var delay: Int64?
    for fault in ordered {
      if case .skewedDate(let milliseconds) = fault { skew = milliseconds }
      if case .slow(let milliseconds) = fault { delay = milliseconds }
    }
    let give: @Sendable () -> Void = { [clock, skew] in
      if let response, let skew {
        reply.reply(response, date: clock.now() + skew)
      } else if let response {
        reply(response)
      } else {
        reply.cut()
      }
    }
    if let delay, lateReplies.add(after: delay, give) { return }
    give()
  }

  private func respond(
    to request: HTTPRequest, _ transactionId: String, _ ordered: [Fault], _ now: Int64, _ record: inout AnswerRecord
  ) -> HTTPResponse {
    for fault in ordered {
      switch fault {
      case .unauthenticated: return Self.unauthenticated
      case .rateLimited(let ahead, let form): return limited(Self.retryAfter(now, ahead, form), &record)
      case .serverError: return refused(.generalInternal, &record)
      default: break
      }
    }
    switch tokens.judge(request.fields, now: now) {
    case .refused(let fault):
      record.remarks = [fault]
      // Apple gives no reason; it is for whoever reads the answers or the log here.
      return Self.unauthenticated
    case .good(let app):
      if let wait = limit.wait(app: app, environment) {
        record.remarks = ["more than \(limit.max(in: environment)) calls in one second"]
        // The limit is counted on the machine's clock; Retry-After is an instant of the set one.
        let ahead = Int64((Double(wait) * clock.speed).rounded(.up))
        return limited(Self.retryAfter(now, ahead, .milliseconds), &record)
      }
      switch judge(request.body, transactionId, app) {
      case .accepted(let remarks):
        record.remarks = remarks
        return .empty(202)
      case .refused(let error): return refused(error, &record)
      }
    }
  }

  private func judge(_ bytes: [UInt8], _ transactionId: String, _ app: String) -> ConsumptionJudge.Verdict {
    guard TransactionID.isWellFormed(transactionId) else { return .refused(.invalidTransactionId) }
    guard let body = ConsumptionJudge.body(bytes) else { return .refused(.malformedBody) }
    guard let purchase = ledger.purchase(transactionId), purchase.environment == environment.rawValue,
      purchase.bundleId == app
    else {
      return .refused(ledger.isAppTransactionId(transactionId) ? .appTransactionIdNotSupported : .transactionIdNotFound)
    }
    return ConsumptionJudge.judge(body, of: purchase)
  }

  private static let unauthenticated = HTTPResponse.text("Unauthenticated\n", status: 401)

  private func refused(_ error: StoreError, _ record: inout AnswerRecord) -> HTTPResponse {
    record.error = error
    return error.response
  }

  private func limited(_ retryAfter: String, _ record: inout AnswerRecord) -> HTTPResponse {
    var response = refused(.rateLimitExceeded, &record)
    response.fields["Retry-After"] = retryAfter
    return response
  }

  private static func retryAfter(_ now: Int64, _ ahead: Int64, _ form: Fault.RetryAfterForm) -> String {
    switch form {
    case .milliseconds: "\(now + ahead)"
    case .secondsSince1970: "\((now + ahead) / 1000)"
    case .secondsFromNow: "\(ahead / 1000)"
    }
  }
}

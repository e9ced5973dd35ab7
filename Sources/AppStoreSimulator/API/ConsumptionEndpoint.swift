import AppStore
import HTTPTypes
import JSON
import Service

/// Send Consumption Information, version 2, as Apple's server answers it. Remembers each call.
struct ConsumptionEndpoint: Sendable {
  let tokens: BearerTokenJudge
  let ledger: Ledger
  /// Whose purchases are found here.
  let environment: ServerEnvironment
  let clock: WallClock
  let log: Logger
  /// Called after an answer was accepted.
  let accepted: @Sendable (_ transactionId: String, _ now: Int64) -> Void

  func respond(to request: HTTPRequest, transactionId: String) -> HTTPResponse {
    let now = clock.now()
    var record = AnswerRecord(
      transactionId: String(transactionId.prefix(64)), receivedAt: now,
      body: String(decoding: request.body.prefix(AnswerRecord.bodyBytesMax), as: UTF8.self), status: 202, error: nil,
      remarks: [])
    let response: HTTPResponse
    if let fault = tokens.fault(in: request.fields, now: now) {
      record.remarks = [fault]
      // Apple gives no reason; it is for whoever reads the answers or the log here.
      response = .text("Unauthenticated\n", status: 401)
    } else {
      switch judge(request.body, transactionId) {
      case .accepted(let remarks):
        record.remarks = remarks
        response = .empty(202)
      case .refused(let error):
        record.error = error
        response = error.response
      }
    }
    record.status = response.status
    ledger.note(record)
    log.info(
      "answer judged",
      [
        "transaction.id": .text(record.transactionId), "status": .integer(Int64(record.status)),
        "error": .text(record.error?.name ?? ""), "remarks": .text(record.remarks.joined(separator: "; ")),
      ])
    if response.status == 202 { accepted(transactionId, now) }
    return response
  }

  private func judge(_ bytes: [UInt8], _ transactionId: String) -> ConsumptionJudge.Verdict {
    guard TransactionID.isWellFormed(transactionId) else { return .refused(.invalidTransactionId) }
    guard let body = ConsumptionJudge.body(bytes) else { return .refused(.malformedBody) }
    guard let purchase = ledger.purchase(transactionId), purchase.environment == environment.rawValue else {
      return .refused(ledger.isAppTransactionId(transactionId) ? .appTransactionIdNotSupported : .transactionIdNotFound)
    }
    return ConsumptionJudge.judge(body, of: purchase)
  }
}

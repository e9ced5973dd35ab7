import AppStore
import HTTPServer
import HTTPTypes
import JSON
import Service

/// Send Consumption Information, both versions, as Apple's server answers it, but for the faults on order. Remembers each
/// answer.
struct ConsumptionEndpoint: Sendable {
  let gate: StoreGate
  let version: ConsumptionVersion
  /// Called after an answer was accepted.
  let accepted: @Sendable (_ transactionId: String, _ now: Int64) -> Void

  func take(_ request: HTTPRequest, transactionId: String, _ reply: HTTPReply) {
    gate.send(answer(request, transactionId: transactionId), reply)
  }

  /// Judges and remembers a call, without replying to it.
  func answer(_ request: HTTPRequest, transactionId: String) -> StoreGate.Visit {
    let visit = gate.visit(request, .consumption, transactionId: transactionId) {
      (caller, remarks) throws(StoreError) in
      switch judge(request.body, transactionId, caller) {
      case .accepted(let said): remarks = said
      case .refused(let error): throw error
      }
      return .empty(202)
    }
    let record = AnswerRecord(
      visit.record, transactionId: String(transactionId.prefix(64)), version: version,
      body: String(decoding: request.body.prefix(AnswerRecord.bodyBytesMax), as: UTF8.self))
    gate.ledger.note(record)
    gate.log.info(
      "answer judged",
      [
        "transaction.id": .text(record.transactionId), "endpoint.version": .integer(version.rawValue),
        "status": .integer(Int64(record.status ?? 0)), "error": .text(record.error?.name ?? ""),
        "remarks": .text(record.remarks.joined(separator: "; ")),
        "faults": .text(record.faults.joined(separator: " ")),
      ])
    if visit.isTaken { accepted(transactionId, visit.now) }
    return visit
  }

  private func judge(
    _ bytes: [UInt8], _ transactionId: String, _ caller: StoreGate.Caller
  ) -> ConsumptionJudge.Verdict {
    // Version 1 knows neither error: its page names none for ids.
    let isVersion2 = version == .version2
    guard TransactionID.isWellFormed(transactionId) else {
      return .refused(isVersion2 ? .invalidTransactionId : .transactionIdNotFound)
    }
    guard let body = ConsumptionJudge.body(bytes) else { return .refused(.malformedBody) }
    guard let purchase = gate.ledger.purchase(transactionId, of: caller) else {
      let isApp = isVersion2 && gate.ledger.isAppTransactionId(transactionId)
      return .refused(isApp ? .appTransactionIdNotSupported : .transactionIdNotFound)
    }
    return isVersion2
      ? ConsumptionJudge.judge(body, of: purchase) : ConsumptionJudgeV1.judge(body, of: purchase)
  }
}

import Contracts
import EventLog
import Service
import Testing

@testable import Responder

@Suite("What the App Store replies to an answer", .timeLimit(.minutes(5))) struct ReplyTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int
    var code: Int64?
    /// The class it is recorded with; nil where Apple took the answer.
    var failure: ConsumptionFailed.Failure
    /// What the sentence for the operator says.
    var advice: String
    /// Calls in all, where Apple takes the second one; how the request stands then.
    var calls: Int { failure == .refused ? 1 : 2 }
    var testDescription: String { "\(status) \(code.map(String.init) ?? "without a number"): \(name)" }
  }

  /// Every error that Apple's pages name for Send Consumption Information, version 2 and 1, and what may stand in between.
  static let rows = [
    Row(name: "malformed body", status: 400, failure: .refused, advice: "Apple cannot read it"),
    Row(name: "InvalidTransactionIdError", status: 400, code: 4_000_006, failure: .refused, advice: "transaction id"),
    Row(
      name: "InvalidCustomerConsentedError", status: 400, code: 4_000_035, failure: .refused,
      advice: "does not say that the customer consented"),
    Row(
      name: "InvalidDeliveryStatusError", status: 400, code: 4_000_036, failure: .refused, advice: "deliveryStatus"),
    Row(
      name: "InvalidSampleContentProvidedError", status: 400, code: 4_000_041, failure: .refused,
      advice: "sampleContentProvided"),
    Row(
      name: "InvalidRefundPreferenceError", status: 400, code: 4_000_044, failure: .refused, advice: "refundPreference"),
    Row(name: "product type, version 1", status: 400, code: 4_000_047, failure: .refused, advice: "type of product"),
    Row(
      name: "AppTransactionIdNotSupportedError", status: 400, code: 4_000_048, failure: .refused,
      advice: "app transaction"),
    Row(
      name: "FamilyTransactionNotSupportedError", status: 400, code: 4_000_185, failure: .refused, advice: "family"),
    Row(
      name: "ConsumptionPercentageAutoRenewableSubscriptionError", status: 400, code: 4_000_209, failure: .fixAndSend,
      advice: "sent again without it"),
    Row(
      name: "InvalidAssignedTransactionNotSupportedError", status: 400, code: 4_000_227, failure: .refused,
      advice: "assigned"),
    Row(
      name: "an error whose number is not known", status: 400, code: 4_000_901, failure: .refused,
      advice: "compare what was sent"),
    Row(
      name: "token not valid", status: 401, failure: .unauthorised, advice: "likely causes, the likeliest first: (1)"),
    Row(name: "TransactionIdNotFoundError", status: 404, code: 4_040_010, failure: .refused, advice: "environment"),
    Row(
      name: "RateLimitExceededError", status: 429, code: 4_290_000, failure: .limit, advice: "wait until the instant"),
    Row(name: "GeneralInternalError", status: 500, code: 5_000_000, failure: .passing, advice: "later again"),
    Row(
      name: "GeneralInternalRetryableError", status: 500, code: 5_000_001, failure: .passing, advice: "again"),
    Row(name: "a gateway that is out of order", status: 502, failure: .passing, advice: "later again"),
    Row(name: "a gateway's time-out", status: 408, failure: .passing, advice: "later again"),
    Row(name: "a redirect", status: 302, failure: .passing, advice: "appStore addresses"),
    Row(name: "another method", status: 405, failure: .refused, advice: "refused again"),
  ]

  @Test("is recorded with its class, its number, and a sentence that helps; and ends as it must", arguments: rows)
  func reply(row: Row) throws {
    let body = row.code.map { #"{"errorCode":\#($0),"errorMessage":"Words of Apple."}"# } ?? "no JSON"
    let rig = try ResponderRig(replies: [.status(row.status, body: body)], isAppleDated: true)
    try rig.start()
    try rig.story.policy()
    try rig.story.evidence(row.failure == .fixAndSend ? Story.facts(share: 40_000) : Story.facts)
    try rig.story.consent(true)
    try rig.story.request()
    let event = try rig.wait(for: .consumptionFailed)[0]
    let failed = try ConsumptionFailed(data: event.data!)
    #expect(failed.failure == row.failure)
    #expect(failed.status == Int64(row.status))
    #expect(failed.errorCode == row.code)
    #expect(failed.reply == Array(body.utf8))
    #expect(failed.explanation.contains("answered \(row.status)"))
    #expect(failed.explanation.contains(row.advice), "\(failed.explanation)")
    #expect(failed.explanation.contains("Words of Apple") == (row.code != nil))
    // Everything that is put off is over by then.
    try rig.settle()
    try rig.set(Story.start + Story.hour)
    if row.calls == 2 { try rig.wait(for: .consumptionSent) }
    try rig.settle()
    #expect(rig.appStore.answers.count == row.calls)
    let page = try #require(
      try CaseReader(folder: rig.place, log: rig.story.log, clock: rig.clock.wall).page(of: rig.story.key))
    #expect(page.requests[0].state == (row.calls == 2 ? .answered : .failed))
    #expect(page.requests[0].attempts[0].explanation == failed.explanation, "and the case's page says it")
  }

  @Test("that never comes leaves open whether Apple has the answer: it is sent again, and the case shows both attempts")
  func lost() throws {
    let rig = try ResponderRig(Story(environment: "Production"), replies: [.lost])
    try rig.start()
    try rig.story.policy()
    try rig.story.evidence(Story.facts)
    try rig.story.consent(true)
    try rig.story.request()
    let failed = try ConsumptionFailed(data: rig.wait(for: .consumptionFailed)[0].data!)
    #expect(failed.failure == .unknown && failed.explanation.contains("not known"), "\(failed.explanation)")
    try rig.settle()
    try rig.set(Story.start + Story.hour)
    try rig.wait(for: .consumptionSent)
    try rig.settle()
    #expect(rig.appStore.answers.count == 2, "Apple got both, and takes a repetition")
    let page = try #require(
      try CaseReader(folder: rig.place, log: rig.story.log, clock: rig.clock.wall).page(of: rig.story.key))
    #expect(page.requests[0].state == .answered)
    #expect(page.requests[0].attempts.map(\.state) == [.unknown, .accepted])
  }
}

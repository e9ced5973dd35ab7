import Contracts
import EventLog
import HTTPTypes
import JSON
import Service

extension ResponderAPI {
  /// `GET /v1/cases`
  func cases(_ call: Call) throws(Problem) -> HTTPResponse {
    guard let items = call.request.target.queryItems else {
      throw Problem(.invalidMembers, detail: "the query is not UTF-8 text")
    }
    var query = try CaseQuery(parameters: items)
    if let allowed = call.caller.bundleIDs {
      for app in query.apps ?? [] { try call.caller.require(app: app) }
      query.apps = query.apps ?? allowed
    }
    do throws(CaseReaderError) { return .json(try reader.cases(matching: query).json.bytes()) } catch {
      throw problem(error)
    }
  }

  /// `GET /v1/cases/{environment}/{transactionId}`
  func casePage(_ call: Call) throws(Problem) -> HTTPResponse {
    let purchase = try call.purchase()
    let page: CasePage?
    do throws(CaseReaderError) { page = try reader.page(of: purchase) } catch { throw problem(error) }
    guard let page else { throw Self.noCase }
    if let app = page.summary.app { try call.caller.require(app: app) }
    return .json(page.json.bytes())
  }

  /// `POST /v1/cases/{environment}/{transactionId}/reviews`
  func review(_ call: Call) throws(Problem) -> HTTPResponse {
    let purchase = try call.purchase()
    let review = try ReviewCall(body: call.body, now: clock.now()).event(by: call.caller.name)
    var tries = 0
    while true {
      tries += 1
      do throws(Problem) { return .receipt(try record(review, on: purchase, call)) } catch {
        // Something happened to the case between the look at it and the act: it is looked at again.
        guard error.code == .changedMeanwhile, tries < Self.triesMax else { throw error }
      }
    }
  }

  private func record(
    _ review: CaseReviewed, on purchase: PurchaseKey, _ call: Call
  ) throws(Problem) -> Recorder.Receipt {
    let found: ReviewableCase?
    do throws(LogReadError) { found = try ReviewableCase(purchase, in: log) } catch { throw unreadable(error) }
    guard let found else { throw Self.noCase }
    try call.caller.require(app: found.app)
    var isRetry = false
    if let key = call.idempotencyKey {
      isRetry = try recorder.knows(key, .review, app: found.app, scope: call.caller.keySpace)
    }
    let now = clock.now()
    if !isRetry {
      do throws(ReviewRefusal) { try found.check(review, at: now) } catch { throw Self.problem(error) }
    }
    return try recorder.record(
      Recorder.Statement(
        prefix: .review, stream: StreamName(purchase.stream), app: found.app, environment: purchase.environment,
        customer: found.customer, correlation: review.request, statedAt: now, type: .caseReviewed,
        data: review.encoded(), isNewEachTime: [.answerNow, .answerAgain].contains(review.act),
        checkedAt: found.version),
      key: call.idempotencyKey, scope: call.caller.keySpace)
  }

  private static let triesMax = 4

  private static func problem(_ refusal: ReviewRefusal) -> Problem {
    switch refusal {
    case .otherRequest:
      Problem(.invalidMembers, errors: [ProblemMember(member: "request", detail: "is no refund request of this case")])
    case .noRequest, .closed, .decided, .withheld: Problem(.windowClosed, detail: refusal.description)
    case .holdTooLate, .underway, .answered, .notAnswered, .answeredOften:
      Problem(.actNotPossible, detail: refusal.description)
    }
  }

  private static let noCase = Problem(.notFound, detail: "Apple sent no refund request or decision for this purchase")

  private func problem(_ error: CaseReaderError) -> Problem {
    if error == .cursorInvalid { return Problem(.cursorInvalid, detail: error.description) }
    logger.error("cases cannot be read", ["reason": "\(error)"])
    return Problem(.unavailable, detail: Self.detail(error))
  }

  /// What a caller may know of it: no places of this machine.
  private static func detail(_ error: CaseReaderError) -> String {
    switch error {
    case .absent, .otherVersion, .ofOtherLog: "the responder has no projection of this log's cases yet, and makes it"
    case .log, .logUnreadable, .unreadable, .cursorInvalid: "the cases cannot be read; the responder's log says why"
    }
  }
}

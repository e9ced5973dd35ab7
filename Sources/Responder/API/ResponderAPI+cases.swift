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
    let review = try ReviewCall(body: call.body, now: clock.now())
    let story = try story(of: purchase)
    guard story.isCase, let app = story.app else { throw Self.noCase }
    try call.caller.require(app: app)
    try check(review, fits: story)
    return .receipt(
      try recorder.record(
        Recorder.Statement(
          prefix: .review, stream: StreamName(purchase.stream), app: app, environment: purchase.environment,
          customer: story.state.customer, statedAt: clock.now(), type: .caseReviewed,
          data: review.event(by: call.caller.name).encoded()),
        key: call.idempotencyKey, scope: call.caller.name))
  }

  /// Words may be added at any time; everything else only while an answer can still be given.
  private func check(_ review: ReviewCall, fits story: PurchaseStory) throws(Problem) {
    var answerable = story.answerable(at: clock.now())
    if let request = review.request {
      guard story.state.requests.contains(where: { $0.id == request }) else {
        throw Problem(
          .invalidMembers, errors: [ProblemMember(member: "request", detail: "is no refund request of this case")])
      }
      answerable.removeAll { $0.id != request }
    }
    guard review.act == .note || !answerable.isEmpty else {
      throw Problem(.windowClosed, detail: "no refund request of this case can be answered any more")
    }
  }

  private static let noCase = Problem(.notFound, detail: "Apple sent no refund request or decision for this purchase")

  private func problem(_ error: CaseReaderError) -> Problem {
    if error == .cursorInvalid { return Problem(.cursorInvalid, detail: error.description) }
    logger.error("cases cannot be read", ["reason": "\(error)"])
    return Problem(.unavailable)
  }
}

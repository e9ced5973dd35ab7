import Contracts
import EventLog
import HTTPServer
import HTTPTypes
import Service

/// The calls of the developer's back end, of people, and of whoever looks at cases.
struct ResponderAPI: Sendable {
  let log: any EventLog
  let recorder: Recorder
  let texts: ConsentTexts
  let reader: CaseReader
  /// Bundle ids that statements are taken for.
  let apps: Monitor<Set<String>>
  let guarding: TokenGuard
  let clock: WallClock
  let workers: WorkerPool
  let metrics: APIMetrics
  let logger: Logger

  var endpoints: [Endpoint] {
    [
      Endpoint(.put, "/v1/consents", .backend, consent), Endpoint(.post, "/v1/consents", .backend, consents),
      Endpoint(.put, "/v1/texts/{bundleId}/accepted", .backend, acceptedTexts),
      Endpoint(.put, "/v1/texts/{bundleId}/{version}/{language}", .backend, consentText),
      Endpoint(.put, "/v1/links/{environment}/{transactionId}", .backend, link),
      Endpoint(.put, "/v1/evidence/{environment}/{transactionId}", .backend, evidence),
      Endpoint(.post, "/v1/evidence", .backend, evidences),
      Endpoint(.put, "/v1/access/{environment}/{transactionId}", .backend, access),
      Endpoint(.get, "/v1/cases", .read, cases),
      Endpoint(.get, "/v1/cases/{environment}/{transactionId}", .read, casePage),
      Endpoint(.post, "/v1/cases/{environment}/{transactionId}/reviews", .support, review),
    ]
  }

  func routes() -> HTTPRouter<HTTPRouteHandler> {
    var router = HTTPRouter<HTTPRouteHandler>()
    for endpoint in endpoints {
      router.add(endpoint.method, endpoint.template) { request, parameters, reply in
        answer(request, parameters, endpoint, reply)
      }
    }
    return router
  }

  /// What reads and writes the disk runs on a worker, the look at the token included; strangers do not get that far.
  private func answer(
    _ request: HTTPRequest, _ parameters: [String: String], _ endpoint: Endpoint, _ reply: HTTPReply
  ) {
    let started = MonotonicClock.milliseconds()
    @Sendable func finish(_ response: HTTPResponse) {
      reply(response)
      metrics.count(
        route: "\(endpoint.method) \(endpoint.template)", status: response.status,
        milliseconds: MonotonicClock.milliseconds() - started)
    }
    do throws(Problem) {
      let digest = try guarding.admit(request)
      try workers.run {
        do throws(Problem) {
          let caller = try guarding.caller(digest)
          try caller.require(endpoint.scope)
          finish(try endpoint.run(Call(request: request, parameters: parameters, caller: caller)))
        } catch { finish(refusal(error, request)) }
      }
    } catch { finish(refusal(error, request)) }
  }

  private func refusal(_ problem: Problem, _ request: HTTPRequest) -> HTTPResponse {
    logger.warning(
      "call refused",
      [
        "problem": .text(problem.code.rawValue), "path": .text(request.target.path),
        "from": .text(request.remoteAddress),
      ])
    return .problem(problem)
  }

  // MARK: What several calls share

  /// The app is one of ours, and the caller may speak for it.
  func check(app: String, _ caller: Caller) throws(Problem) {
    guard apps.withLock({ $0.contains(app) }) else {
      throw Problem(
        .invalidMembers,
        errors: [ProblemMember(member: "bundleId", detail: "is no app of this responder's settings")])
    }
    try caller.require(app: app)
  }

  /// Pseudonym of a customer, as the log names it.
  func customer(_ account: String, app: String) -> String {
    log.keyedDigest([Array(app.utf8), Array(LowerCase.ascii(account).utf8)])
  }

  /// What the log tells of a purchase that an app speaks of. Nothing is stated of one that belongs to another app.
  func story(of purchase: PurchaseKey, askedBy app: String) throws(Problem) -> PurchaseStory {
    let story: PurchaseStory
    do throws(LogReadError) { story = try PurchaseStory(of: purchase, in: log) } catch { throw unreadable(error) }
    if let owner = story.app, owner != app {
      throw Problem(.purchaseOfOtherApp, detail: "send it with the bundle id of the app that sold it")
    }
    return story
  }

  func unreadable(_ error: LogReadError) -> Problem {
    logger.error("a purchase cannot be read", ["reason": "\(error)"])
    return Problem(.unavailable)
  }

  /// Runs each element of a batch in order; one that is refused does not stop the others.
  func batch(
    _ call: Call, _ body: (BatchCall.Item) throws(Problem) -> Recorder.Receipt
  ) throws(Problem) -> HTTPResponse {
    .batch(
      try BatchCall(body: call.body).items.map { item in
        do throws(Problem) { return .success(try body(try item.get())) } catch { return .failure(error) }
      })
  }
}

import AppStore
import HTTPServer
import HTTPTypes
import JSON
import Service

/// What every call of the App Store Server API goes through before it is looked at, and on its way out: faults on order,
/// the bearer token, the rate limit. Remembers each call.
struct StoreGate: Sendable {
  let tokens: BearerTokenJudge
  let limit: RateLimit
  let ledger: Ledger
  let faults: FaultBook
  let lateReplies: LateReplies
  /// Whose purchases are found here.
  let environment: ServerEnvironment
  let clock: WallClock
  let log: Logger

  /// One call, decided and not yet replied to.
  struct Visit: Sendable {
    /// Milliseconds since 1970 UTC.
    let now: Int64
    let ordered: [Fault]
    /// What is told of the call; nil where the connection was cut before it was looked at.
    let response: HTTPResponse?
    let record: CallRecord
    /// Whether the call was looked at and taken, whatever becomes of the reply.
    let isTaken: Bool

    /// What reaches the caller; nil where the connection breaks instead.
    var reply: HTTPResponse? { ordered.contains(.lostReply) ? nil : response }
  }

  /// Who calls, for whoever looks at the call.
  struct Caller: Sendable {
    let app: String
    let environment: ServerEnvironment
    let now: Int64

    func mayKnow(_ purchase: Purchase) -> Bool {
      purchase.bundleId == app && purchase.environment == environment.rawValue
    }
  }

  /// Takes a call, replies, and remembers it.
  /// - Parameters:
  ///   - transactionId: that the path names.
  ///   - answer: looks at a call that has a good token and room.
  func serve(
    _ request: HTTPRequest, _ call: StoreCall, transactionId: String? = nil, _ reply: HTTPReply,
    _ answer: (Caller) throws(StoreError) -> HTTPResponse
  ) {
    let visit = visit(request, call, transactionId: transactionId) { (caller, _) throws(StoreError) in
      try answer(caller)
    }
    send(visit, reply)
  }

  func visit(
    _ request: HTTPRequest, _ call: StoreCall, transactionId: String?,
    _ answer: (Caller, _ remarks: inout [String]) throws(StoreError) -> HTTPResponse
  ) -> Visit {
    let now = clock.now()
    let ordered = faults.take(.answer, transactionId: transactionId, call: call)
    var record = CallRecord(call: call, target: request.target, transactionId: transactionId, receivedAt: now)
    record.faults = ordered.map(\.name)
    var isTaken = false
    let response =
      ordered.contains(.cut)
      ? nil
      : respond(to: request, call, ordered, now, &record) { (caller, remarks) throws(StoreError) in
        let response = try answer(caller, &remarks)
        isTaken = true
        return response
      }
    record.status = response?.status
    ledger.note(record)
    return Visit(now: now, ordered: ordered, response: response, record: record, isTaken: isTaken)
  }

  func send(_ visit: Visit, _ reply: HTTPReply) {
    let response = visit.reply
    var skew: Int64?
    var delay: Int64?
    for fault in visit.ordered {
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
    to request: HTTPRequest, _ call: StoreCall, _ ordered: [Fault], _ now: Int64, _ record: inout CallRecord,
    _ answer: (Caller, _ remarks: inout [String]) throws(StoreError) -> HTTPResponse
  ) -> HTTPResponse {
    for fault in ordered {
      switch fault {
      case .unauthenticated: return Self.unauthenticated
      case .rateLimited(let ahead, let form): return limited(Self.retryAfter(now, ahead, form), &record)
      case .serverError: return refused(.generalInternal, &record)
      case .error(let told): return told.response
      default: break
      }
    }
    switch tokens.judge(request.fields, now: now) {
    case .refused(let fault):
      record.remarks = [fault]
      // Apple gives no reason; it is for whoever reads the records or the log here.
      return Self.unauthenticated
    case .good(let app):
      if let wait = limit.wait(app: app, call, environment), let rate = limit.rate(of: call, in: environment) {
        let stretch = rate.milliseconds == 1000 ? "one second" : "\(rate.milliseconds / 1000) seconds"
        record.remarks = ["more than \(rate.calls) \(rate.calls == 1 ? "call" : "calls") in \(stretch)"]
        // The limit is counted on the machine's clock; Retry-After is an instant of the set one.
        let ahead = Int64((Double(wait) * clock.speed).rounded(.up))
        return limited(Self.retryAfter(now, ahead, .milliseconds), &record)
      }
      do throws(StoreError) {
        return try answer(Caller(app: app, environment: environment, now: now), &record.remarks)
      } catch {
        return refused(error, &record)
      }
    }
  }

  private static let unauthenticated = HTTPResponse.text("Unauthenticated\n", status: 401)

  private func refused(_ error: StoreError, _ record: inout CallRecord) -> HTTPResponse {
    record.error = error
    return error.response
  }

  private func limited(_ retryAfter: String, _ record: inout CallRecord) -> HTTPResponse {
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

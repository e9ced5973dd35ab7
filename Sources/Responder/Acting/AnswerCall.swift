import AppStore
import Contracts
import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import Service

/// One call at a time: looks at the log once more, sends the exact bytes of the claim, records what came back.
struct AnswerCall {
  /// How much of a reply is kept.
  private static let replyBytesKept = 2_048

  let api: AppStoreServerAPI
  let client: any HTTPSending
  let log: any EventLog
  let apple: AppleClock
  let backoff: Backoff
  let times: ClaimTimes
  let pacer: CallPacer
  let metrics: ResponderMetrics
  let writes: WriteWatch
  let logger: Logger

  private var clock: WallClock { apple.wall }

  func make(_ claim: WonClaim) {
    var isWritten = false
    defer { if !isWritten { pacer.givenUp(claim.lane) } }
    guard let version = ConsumptionVersion(rawValue: claim.prepared.endpointVersion) else {
      return record(
        failure(claim, .refused, "endpoint version \(claim.prepared.endpointVersion) is not known to this release"),
        of: claim)
    }
    let token = claim.tokens.token(now: clock.now())
    let request = api.sendConsumption(
      transactionId: claim.state.transactionID, environment: claim.environment, version: version,
      body: Array(claim.prepared.body.utf8), token: token)
    guard let request else {
      return record(failure(claim, .refused, "the transaction id cannot stand in a URL"), of: claim)
    }
    var sentAt = clock.now()
    var mark = apple.mark()
    var refusal: String?
    do throws(HTTPClientError) {
      // The last look, with the connection open: nothing but the write follows.
      let response = try client.send(
        HTTPClientRequest(request.method, request.url, fields: request.fields, body: request.body)
      ) {
        refusal = reasonNotToSend(claim)
        sentAt = clock.now()
        guard refusal == nil else { return false }
        // A kept connection that was closed meanwhile is replaced, and this asked again.
        if !isWritten { pacer.written(claim.lane) }
        isWritten = true
        mark = apple.mark()
        return true
      }
      let result = result(claim, response, token, sentAt: sentAt)
      apple.note(response.date, since: mark)
      record(result, of: claim)
    } catch {
      switch error {
      case .notSent where refusal != nil:
        record(failure(claim, .passing, "not sent: \(refusal!)", retryAt: clock.now()), of: claim)
      case .notSent: record(failure(claim, .passing, error.description, retryAt: later(claim)), of: claim)
      case .unknown: record(failure(claim, .unknown, error.description, retryAt: later(claim)), of: claim)
      }
    }
  }

  /// Asks Apple for nothing but its time: any reply has a Date. Says nothing of anybody, and bears no token.
  func askTime(of environment: ServerEnvironment) {
    var mark = apple.mark()
    do throws(HTTPClientError) {
      let response = try client.send(HTTPClientRequest(.get, api.address(of: environment).base)) {
        mark = apple.mark()
        return true
      }
      apple.note(response.date, since: mark)
    } catch {
      logger.debug("Apple's time is not known yet", ["reason": .text(error.description)])
    }
  }

  /// A withdrawal, a decision or a new fact between claim and call; a claim that has grown too old.
  private func reasonNotToSend(_ claim: WonClaim) -> String? {
    do throws(LogReadError) {
      var position = claim.position
      while true {
        let events = try log.read(after: position, limit: 100)
        guard let last = events.last else {
          return clock.now() < claim.prepared.sendBy ? nil : "the claim was too old when its turn came"
        }
        if let event = events.first(where: { claim.streams.contains($0.stream) }) {
          return "\(event.type) at position \(event.position) changed what the answer rested on"
        }
        position = last.position
      }
    } catch { return "the log could not be read again: \(error)" }
  }

  private enum Result {
    case sent(ConsumptionSent)
    case failed(ConsumptionFailed)
  }

  private func result(
    _ claim: WonClaim, _ response: HTTPResponse, _ token: BearerToken, sentAt: Int64
  ) -> Result {
    let now = clock.now()
    let reply = ConsumptionReply(response, now: now)
    let kept = Array(response.body.prefix(Self.replyBytesKept))
    let failure: (ConsumptionFailed.Failure, retryAt: Int64?)
    switch reply.reply {
    case .accepted:
      return .sent(
        ConsumptionSent(
          request: claim.prepared.request, claim: claim.id, status: Int64(reply.status), sentAt: sentAt,
          repliedAt: now, reply: kept))
    case .refused(.leaveOutPercentage): failure = (.fixAndSend, nil)
    case .refused: failure = (.refused, nil)
    case .unauthorised: failure = (.unauthorised, nil)
    case .limited(let until):
      failure = (.limit, Self.limitEnd(until, now) ?? now + backoff.afterLimit(inARow: claim.limitsInARow))
    case .passing: failure = (.passing, later(claim))
    case .unknown: failure = (.unknown, later(claim))
    }
    // What Apple's number means, and of a refused token what is known of its causes.
    var words = reply.words
    if reply.reply == .unauthorised { words += "; " + diagnosis(claim, token, apple: response.date).text }
    return .failed(
      ConsumptionFailed(
        request: claim.prepared.request, claim: claim.id, failure: failure.0, explanation: words,
        status: Int64(reply.status), errorCode: reply.errorCode, retryAt: failure.retryAt, reply: kept))
  }

  private func diagnosis(_ claim: WonClaim, _ token: BearerToken, apple date: Int64?) -> TokenDiagnosis {
    TokenDiagnosis(
      app: claim.tokens.bundleId, environment: claim.state.environment, keyID: claim.tokens.keyId,
      issuerID: claim.tokens.issuerId, issuedAt: token.issuedAt, expiresAt: token.expiresAt,
      refusedAt: date.map { (apple: $0, ours: apple.machineNow()) }, takenAt: claim.takenAt, takenIn: claim.takenIn)
  }

  /// Apple's instant, an hour ahead at most: limits are counted over the hour. nil where it has passed, as for a clock
  /// ahead of Apple's, and where it is so far ahead that it cannot be meant.
  private static func limitEnd(_ until: Int64?, _ now: Int64) -> Int64? {
    until.flatMap { $0 > now && $0 < now + RetryAfter.waitMax ? min($0, now + 3_600_000) : nil }
  }

  private func failure(
    _ claim: WonClaim, _ failure: ConsumptionFailed.Failure, _ explanation: String, retryAt: Int64? = nil
  ) -> Result {
    .failed(
      ConsumptionFailed(
        request: claim.prepared.request, claim: claim.id, failure: failure, explanation: explanation,
        retryAt: retryAt))
  }

  private func later(_ claim: WonClaim) -> Int64 {
    clock.now() + backoff.milliseconds(after: (claim.request?.attempts.count ?? 0) + 1)
  }

  /// Writes the result; where the log does not take it, again until the claim counts as unknown by itself.
  private func record(_ result: Result, of claim: WonClaim) {
    let attempt = claim.prepared.attempt
    let draft =
      switch result {
      case .sent(let sent): self.draft(sent, id: EventIDs.sent(claim.state.key, attempt: attempt), claim)
      case .failed(let failed) where failed.failure == .unknown:
        self.draft(failed, id: EventIDs.unknown(claim.state.key, attempt: attempt), claim)
      case .failed(let failed): self.draft(failed, id: EventIDs.failed(claim.state.key, attempt: attempt), claim)
      }
    while true {
      do throws(AppendError) {
        _ = try log.append([draft])
        writes.took()
        break
      } catch {
        let isOver = error == .closed || clock.now() >= claim.prepared.sendBy + times.sendToUnknown
        logger.error(
          "result of a call not stored", ["claim": .text(claim.id), "reason": "\(error)", "again": .bool(!isOver)])
        writes.didNotTake(error)
        if isOver { return }
        usleep(500_000)
      }
    }
    switch result {
    case .sent(let sent):
      metrics.answers[claim.state.environment, "sent"].add()
      metrics.callSeconds.observe(Double(sent.repliedAt - sent.sentAt) / 1000 / clock.speed)
      if let request = claim.request {
        metrics.answerSeconds.observe(Double(sent.repliedAt - request.receivedAt) / 1000)
      }
      logger.info("answer taken by the App Store", ["claim": .text(claim.id), "status": .integer(sent.status)])
    case .failed(let failed):
      metrics.answers[claim.state.environment, failed.failure.rawValue].add()
      logger.warning(
        "answer not taken",
        ["claim": .text(claim.id), "class": .text(failed.failure.rawValue), "reason": .text(failed.explanation)])
    }
  }

  private func draft(_ data: some EventData, id: String, _ claim: WonClaim) -> EventDraft {
    EventDraft(
      data, id: id, of: claim.state, occurredAt: clock.now(), causation: claim.id, correlation: claim.prepared.request)
  }
}

extension HTTPResponse {
  /// When it was written, by the clock of who wrote it; milliseconds since 1970, UTC.
  fileprivate var date: Int64? { fields["Date"].flatMap { HTTPDate.milliseconds($0) } }
}

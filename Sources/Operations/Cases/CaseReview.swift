import Contracts
import EventLog
import Responder
import Service

/// A person's act on a case, on its way into the log.
struct CaseReview {
  let surroundings: RefundlogProgram.Surroundings
  let folder: String
  let clock: WallClock
  let page: CasePage

  init(_ surroundings: RefundlogProgram.Surroundings, _ arguments: Arguments) throws(CommandError) {
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    page = try CaseReader.reading(folder, clock: clock).page(named: arguments.words[0])
  }

  var by: String { "operator:\(surroundings.user)" }

  /// The refund request that an act is about: the newest whose window is open.
  func request() throws(CommandError) -> CasePage.Request {
    guard let newest = page.requests.last else {
      throw refused("Apple sent no refund request for it, only a decision; there is nothing to answer")
    }
    guard let open = page.requests.last(where: { $0.closed > clock.now() }) else {
      throw refused(
        "its window closed \(Shown.span(clock.now() - newest.closed)) ago (\(RFC3339.text(newest.closed))); Apple takes "
          + "no answer any more")
    }
    if let outcome = page.outcomes.last(where: { $0.decidedAt >= open.signedAt }) {
      throw refused("Apple decided already: \(outcome.kind.rawValue) on \(RFC3339.text(outcome.decidedAt))")
    }
    return open
  }

  func refused(_ sentence: String) -> CommandError {
    CommandError(.failure, "case \(page.summary.purchase): \(sentence)")
  }

  /// Every act on the case, oldest first, and the version of its stream.
  func earlier() throws(CommandError) -> (acts: [CaseReviewed], version: Int64) {
    let log = try LocalEventLog.reading(folder)
    var acts: [CaseReviewed] = []
    var version: Int64 = 0
    do throws(LogReadError) {
      while true {
        let events = try log.read(stream: stream, after: version, limit: 500)
        guard let last = events.last else { return (acts, version) }
        for event in events where event.type == EventType.caseReviewed.rawValue {
          // One that cannot be read says nothing.
          if let data = event.data, let act = try? CaseReviewed(data: data) { acts.append(act) }
        }
        version = last.version
      }
    } catch { throw CommandError(error) }
  }

  /// Appends the acts, all or none, where the case is still as it was read.
  /// - Returns: position of the first.
  func append(_ acts: [CaseReviewed], after version: Int64) throws(CommandError) -> Position {
    let log: LocalEventLog
    do throws(StartError) { log = try LocalEventLog.open(folder, clock: clock) } catch {
      throw CommandError(error.code, error.description)
    }
    defer { log.close() }
    let drafts = acts.enumerated().map { index, act in
      EventDraft(
        id: EventID(EventIDs.next(.review, stream: stream.text, version: version + 1 + Int64(index))), stream: stream,
        type: CaseReviewed.type.rawValue, schema: CaseReviewed.type.schema,
        environment: page.summary.purchase.environment, app: page.summary.app, customer: page.summary.customer,
        occurredAt: clock.now(), correlation: act.request.map(EventID.init), data: act.encoded())
    }
    let outcome: AppendOutcome
    do throws(AppendError) {
      outcome = try log.append(drafts, expecting: [stream: .exactly(version)])
    } catch { throw CommandError(.unavailable, error.description) }
    switch outcome {
    case .recorded(let recordings): return recordings[0].position
    case .conflict: throw refused("something happened to it at this moment; look at it again, then repeat")
    }
  }

  private var stream: StreamName { StreamName(page.summary.purchase.stream) }
}

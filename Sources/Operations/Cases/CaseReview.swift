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
  /// As the log tells it, which may be ahead of the page; the act is checked against this.
  let reviewable: ReviewableCase

  init(_ surroundings: RefundlogProgram.Surroundings, _ arguments: Arguments) throws(CommandError) {
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    page = try CaseReader.reading(folder, clock: clock).page(named: arguments.words[0])
    let found: ReviewableCase?
    let log = try LocalEventLog.reading(folder)
    do throws(LogReadError) { found = try ReviewableCase(page.summary.purchase, in: log) } catch {
      throw CommandError(error)
    }
    guard let found else { throw CaseReader.none(page.summary.purchase.description) }
    reviewable = found
  }

  var by: String { "operator:\(surroundings.user)" }

  /// The refund request that an act is about: the newest with which it can be done.
  func request(for act: CaseReviewed.Act) throws(CommandError) -> CasePage.Request {
    let now = clock.now()
    let id: String
    do throws(ReviewRefusal) { id = try reviewable.request(for: act, at: now) } catch {
      throw refused(sentence(error, now: now))
    }
    guard let request = page.requests.first(where: { $0.id == id }) else {
      throw refused("the responder has not come to its newest refund request yet; repeat it in a moment")
    }
    return request
  }

  private func sentence(_ refusal: ReviewRefusal, now: Int64) -> String {
    switch refusal {
    case .closed(let instant):
      "its window closed \(Shown.span(now - instant)) ago (\(RFC3339.text(instant))); Apple takes no answer any more"
    case .answered: "Apple has an answer already; refundlog answer \(page.summary.purchase) --again sends another"
    case .notAnswered: "Apple has no answer yet, so there is none to send again; leave out --again"
    case .otherRequest, .noRequest, .decided, .withheld, .holdTooLate, .underway, .answeredOften: refusal.description
    }
  }

  func refused(_ sentence: String) -> CommandError {
    CommandError(.failure, "case \(page.summary.purchase): \(sentence)")
  }

  /// Appends the acts, all or none, where the case is still as it was read.
  /// - Returns: position of the first.
  func append(_ acts: [CaseReviewed]) throws(CommandError) -> Position {
    let log: LocalEventLog
    do throws(StartError) { log = try LocalEventLog.open(folder, clock: clock) } catch {
      throw CommandError(error.code, error.description)
    }
    defer { log.close() }
    let stream = page.summary.purchase.stream
    let drafts = acts.enumerated().map { index, act in
      let id = EventIDs.next(.review, stream: stream, version: reviewable.version + 1 + Int64(index))
      return reviewable.draft(act, id: EventID(id), at: clock.now())
    }
    let outcome: AppendOutcome
    do throws(AppendError) {
      outcome = try log.append(drafts, expecting: [StreamName(stream): .exactly(reviewable.version)])
    } catch { throw CommandError(.unavailable, error.description) }
    switch outcome {
    case .recorded(let recordings): return recordings[0].position
    case .conflict: throw refused("something happened to it at this moment; look at it again, then repeat")
    }
  }
}

import EventLog
import Service

/// Feeds parked notifications that fit by now into the log, each with the instant at which it first came, so that its
/// remaining time is the true one.
///
/// It is appended first and let go second. A crash between the two leaves it in both places, and the next feeding finds
/// its id in the log.
struct ParkedFeed: Sendable {
  private static let batch = 100

  let folder: String
  let log: any EventLog
  let state: StateWriter
  let logger: Logger

  /// What became of all that were looked at.
  struct Result: Sendable, Equatable {
    var fed = 0
    /// In the log before.
    var known = 0
    var staying = 0
    /// Fits, and could not be written now.
    var failed = 0
  }

  /// Judges again whatever is parked for a bundle in the settings. Waits for the disk; for owned threads.
  @discardableResult
  func feed(_ setup: ReceiverSetup) -> Result {
    var result = Result()
    do throws(ReceiverStateError) {
      try feed(NotificationJudge(setup: setup, log: log), into: &result)
    } catch {
      logger.error(
        "parked notifications not fed in: the receiver's state could not be used",
        ["reason": .text(error.description), "fed": .integer(Int64(result.fed))])
      return result
    }
    if result != Result() {
      logger.info(
        "parked notifications fed in",
        [
          "fed": .integer(Int64(result.fed)), "known": .integer(Int64(result.known)),
          "staying": .integer(Int64(result.staying)), "failed": .integer(Int64(result.failed)),
        ])
    }
    return result
  }

  private func feed(_ judge: NotificationJudge, into result: inout Result) throws(ReceiverStateError) {
    let reader = try ReceiverState(folder: folder)
    var last: Int64 = 0
    while true {
      let parked = try reader.parked(after: last, bundleIDs: judge.setup.bundleIDs, limit: Self.batch)
      guard let newest = parked.last else { return }
      last = newest.id
      var settlement = ParkedSettlement()
      var fitting: [(id: Int64, draft: EventDraft)] = []
      for notification in parked {
        switch judge.judge(notification.token[...], receivedAt: notification.firstReceivedAt) {
        case .event(let draft): fitting.append((notification.id, draft))
        case .parked(let now):
          result.staying += 1
          guard now.reason != notification.reason || now.detail != notification.detail else { continue }
          settlement.staying.append(.init(id: notification.id, reason: now.reason, detail: now.detail))
        // Genuine when it came: its root is not among the trust anchors any more.
        case .refused: result.staying += 1
        }
      }
      for (notification, recording) in zip(fitting, append(fitting.map(\.draft))) {
        switch recording {
        case .appended: result.fed += 1
        case .duplicate: result.known += 1
        case nil:
          result.failed += 1
          continue
        }
        settlement.inLog.append(notification.id)
      }
      if !settlement.isEmpty { try state.settle(settlement) }
    }
  }

  /// Each by itself, so that one that the log does not take stops no other; all wait for the disk together.
  private func append(_ drafts: [EventDraft]) -> [AppendOutcome.Recording?] {
    let answers = Monitor<[Int: AppendOutcome.Recording?]>([:])
    for (index, draft) in drafts.enumerated() {
      log.submit([draft], expecting: [:]) { [logger] result in
        var recording: AppendOutcome.Recording?
        switch result {
        case .success(.recorded(let recordings)): recording = recordings[0]
        case .success(.conflict): preconditionFailure("a call that expects nothing meets no conflict")
        case .failure(let error):
          logger.error(
            "parked notification not fed in, it stays parked",
            ["event.id": .text(draft.id.text), "reason": .text(error.description)])
        }
        answers.change { $0[index] = .some(recording) }
      }
    }
    return answers.wait { answers in
      answers.count == drafts.count ? drafts.indices.map { answers[$0] ?? nil } : nil
    }!
  }
}

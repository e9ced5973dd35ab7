import Contracts
import Cryptography
import EventLog
import Service

/// Feeds parked notifications that fit by now into the log, each with the instant at which it first
/// came, so that its remaining time is the true one.
///
/// It is appended first and let go second. A crash between the two leaves it in both places, and
/// the next feeding finds its id in the log.
struct ParkedFeed: Sendable {
  private static let batch = 100

  let folder: String
  let log: any EventLog
  let state: StateWriter
  let logger: Logger
  /// Told of what it feeds in, where somebody watches.
  var vocabulary: VocabularyWatch? = nil

  /// What became of all that were looked at.
  struct Result: Sendable, Equatable {
    var fed = 0
    /// In the log before.
    var known = 0
    var staying = 0
    /// Fits, and could not be written now.
    var failed = 0
    /// Refused now, whatever the settings are.
    var dropped = 0

    /// Whether anything but waiting happened.
    var isNews: Bool { fed > 0 || known > 0 || failed > 0 || dropped > 0 }
  }

  /// How far a set-up has judged. What was judged once and stays need not be judged again by the
  /// same set-up; numbers rise in the order in which rows become visible, as one process writes at
  /// a time.
  struct Progress: Sendable {
    /// Number of the last one before which none is left that should be looked at again.
    fileprivate(set) var judged: Int64 = 0
  }

  /// Judges again whatever is parked for a bundle in the settings. Waits for the disk; for owned
  /// threads.
  /// - Parameters:
  ///   - progress: where to go on; what could not be written is met again the next time.
  ///   - tellsStaying: whether it is worth a line that some only stay.
  ///   - mayGoOn: asked between batches.
  @discardableResult
  func feed(
    _ setup: ReceiverSetup, from progress: inout Progress, tellsStaying: Bool = true,
    while mayGoOn: () -> Bool = { true }
  ) -> Result {
    var result = Result()
    do throws(ReceiverStateError) {
      try feed(NotificationJudge(setup: setup, log: log), from: &progress, into: &result, while: mayGoOn)
    } catch {
      logger.error(
        "parked notifications not fed in: the receiver's state could not be used",
        ["reason": .text(error.description), "fed": .integer(Int64(result.fed))])
      return result
    }
    if tellsStaying ? result != Result() : result.isNews {
      logger.info(
        "parked notifications fed in",
        [
          "fed": .integer(Int64(result.fed)), "known": .integer(Int64(result.known)),
          "staying": .integer(Int64(result.staying)), "failed": .integer(Int64(result.failed)),
          "dropped": .integer(Int64(result.dropped)),
        ])
    }
    return result
  }

  private func feed(
    _ judge: NotificationJudge, from progress: inout Progress, into result: inout Result, while mayGoOn: () -> Bool
  ) throws(ReceiverStateError) {
    let reader = try ReceiverState(folder: folder)
    var last = progress.judged
    // What comes meanwhile is for the next look: it may come faster than it is fed in.
    let newestNow = try reader.newestParkedID()
    while last < newestNow, mayGoOn() {
      let parked = try reader.parked(after: last, bundleIDs: judge.setup.bundleIDs, limit: Self.batch)
      guard let newest = parked.last else { return }
      var settlement = ParkedSettlement()
      var refused: [(notification: ParkedNotification, problem: Problem)] = []
      var fitting: [(id: Int64, draft: EventDraft, unknown: UnknownWords)] = []
      for notification in parked {
        switch judge.judge(notification.token[...], receivedAt: notification.firstReceivedAt) {
        case .event(let draft, let unknown): fitting.append((notification.id, draft, unknown))
        case .parked(let now):
          result.staying += 1
          guard now.reason != notification.reason || now.detail != notification.detail else { continue }
          settlement.staying.append(.init(id: notification.id, reason: now.reason, detail: now.detail))
        // Genuine when it came: its root is not among the trust anchors any more, and may be again.
        case .refused(let problem) where problem.code == .chainNotTrusted: result.staying += 1
        // A later release looks closer; no settings bring it back.
        case .refused(let problem): refused.append((notification, problem))
        }
      }
      for ((id, draft, unknown), answer) in zip(fitting, append(fitting.map(\.draft))) {
        switch answer {
        case .success(.appended):
          result.fed += 1
          vocabulary?.note(unknown, of: draft.id.text)
        case .success(.duplicate): result.known += 1
        case .failure(let error):
          // One line for all: where the log takes nothing, there may be thousands.
          if result.failed == 0 {
            logger.error(
              "parked notification not fed in, it stays parked and is tried again",
              ["event.id": .text(draft.id.text), "reason": .text(error.description)])
          }
          result.failed += 1
          continue
        }
        settlement.inLog.append(id)
      }
      settlement.refused = refused.map(\.notification.id)
      if !settlement.isEmpty { try state.settle(settlement) }
      result.dropped += refused.count
      for (notification, problem) in refused { tellDropped(notification, problem) }
      last = newest.id
      if result.failed == 0 { progress.judged = last }
    }
  }

  private func tellDropped(_ notification: ParkedNotification, _ problem: Problem) {
    logger.warning(
      "parked notification dropped: it can never become good",
      [
        "problem": .text(problem.code.rawValue), "detail": .text(problem.description),
        "received.bundle": .text(notification.bundleID ?? ""),
        "received.environment": .text(notification.environment ?? ""),
        "notification.uuid": .text(notification.notificationUUID ?? ""),
        "token.digest": .text(Hex.encode(notification.tokenDigest)),
      ])
  }

  /// Each by itself, so that one that the log does not take stops no other; all wait for the disk
  /// together.
  private func append(_ drafts: [EventDraft]) -> [Swift.Result<AppendOutcome.Recording, AppendError>] {
    let answers = Monitor<[Int: Swift.Result<AppendOutcome.Recording, AppendError>]>([:])
    for (index, draft) in drafts.enumerated() {
      log.submit([draft], expecting: [:]) { result in
        answers.change { answers in
          answers[index] = result.map { outcome in
            guard case .recorded(let recordings) = outcome else {
              preconditionFailure("a call that expects nothing meets no conflict")
            }
            return recordings[0]
          }
        }
      }
    }
    return answers.wait { answers in
      answers.count == drafts.count ? drafts.indices.map { answers[$0]! } : nil
    }!
  }
}

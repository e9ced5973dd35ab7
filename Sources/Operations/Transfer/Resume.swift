import Contracts
import Cryptography
import EventLog
import Responder
import Service

/// `refundlog resume`
struct Resume: Command {
  static let page = CommandPage(
    name: "resume", summary: "Lets answers go to Apple again after a restore",
    details: """
      Requests that are open and inside their window are answered then, also those that may have been answered between the
      backup and its restore: Apple takes an answer again, and the newer one counts.
      """,
    options: [
      CommandOption(name: "note", value: "TEXT", meaning: "why, for whoever reads the log later"), .data, .settings,
    ])

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let clock: WallClock
  private let note: String?

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    clock = try SettingsFile.clock(arguments, surroundings)
    note = arguments["note"]
  }

  func run() throws(CommandError) {
    // Never makes a log where there is none.
    let reading = try LocalEventLog.reading(folder)
    let (sending, version) = try Self.sending(reading)
    guard let since = sending.pausedSince else {
      return surroundings.print("Nothing is paused: no restore waits for this. Nothing was changed.\n")
    }
    let log: LocalEventLog
    do throws(StartError) { log = try LocalEventLog.open(folder, clock: clock) } catch {
      throw CommandError(error.code, error.description)
    }
    defer { log.close() }
    let draft = EventDraft(
      ofLog: SendingResumed(by: "operator:\(surroundings.user)", note: note),
      id: EventIDs.new(.resumed, uuid: SecureRandom.uuid()), at: clock.now())
    let outcome: AppendOutcome
    do throws(AppendError) {
      outcome = try log.append([draft], expecting: [draft.stream: .exactly(version)])
    } catch { throw CommandError(.unavailable, error.description) }
    guard case .recorded(let recordings) = outcome else {
      throw CommandError(.failure, "somebody else resumed, or restored again, at this moment; repeat it")
    }
    surroundings.print(
      """
      Sending goes on after the restore of \(RFC3339.text(since)) (position \(recordings[0].position)).
      The responder answers open requests inside their windows, those due first. Which of them may have been answered
      before the restore stands on their pages: refundlog cases, refundlog case ID.

      """)
  }

  private static func sending(_ log: LocalEventLog) throws(CommandError) -> (SendingState, version: Int64) {
    do throws(LogReadError) {
      let state = try SendingState(in: log)
      return (state, state.version)
    } catch { throw CommandError(error) }
  }
}

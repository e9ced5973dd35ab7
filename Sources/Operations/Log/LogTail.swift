import Contracts
import EventLog
import Service

/// `refundlog log tail`
struct LogTail: Command {
  static let page = CommandPage(
    name: "log tail", summary: "Shows events, oldest first",
    details: """
      With --follow it goes on as they come, and stops with a sentence when the log is replaced or restored meanwhile:
      what was shown is then no longer what the log holds.
      """,
    options: [
      .data, .settings, CommandOption(name: "after", value: "POSITION", meaning: "begins after this position"),
      CommandOption(name: "follow", value: nil, meaning: "goes on as events come, until Ctrl-C"),
      CommandOption(name: "json", value: nil, meaning: "CloudEvents, one a line, for machines"),
    ])

  private static let batch = 500

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let after: Position
  private let follows: Bool
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, for: Self.page)
    self.surroundings = surroundings
    folder = try SettingsFile.dataFolder(arguments, surroundings)
    follows = arguments.has("follow")
    asJSON = arguments.has("json")
    guard let text = arguments["after"] else {
      after = .start
      return
    }
    guard let value = Int64(text), value >= 0 else {
      throw CommandError(.usage, "--after is \(text); allowed is a position, 0 or more")
    }
    after = Position(value)
  }

  func run() throws(CommandError) {
    let log = try LocalEventLog.reading(folder)
    do throws(LogReadError) {
      let head = try log.head()
      try showOld(log, through: head)
      try showNew(log, after: head)
    } catch { throw CommandError(error) }
  }

  /// What was there at the start.
  private func showOld(_ log: LocalEventLog, through head: Bookmark) throws(LogReadError) {
    var position = after
    while position < head.position {
      let events = try log.read(after: position, limit: Self.batch)
      for event in events where event.position <= head.position { show(event, log.identity) }
      // Shorter than a moment ago: the bookmark will say so.
      guard let last = events.last else { return }
      position = last.position
    }
  }

  /// What comes, each time with a look at whether the log is still the one that was read.
  private func showNew(_ log: LocalEventLog, after head: Bookmark) throws(LogReadError) {
    let wakeups = log.wakeups()
    var bookmark = head
    while true {
      let events = try log.read(after: bookmark, limit: Self.batch)
      for event in events {
        bookmark = bookmark.passing(event)
        if event.position > after { show(event, log.identity) }
      }
      if !events.isEmpty { continue }
      if !follows { return }
      wakeups.wait(milliseconds: 1_000)
    }
  }

  private func show(_ event: RecordedEvent, _ log: LogIdentity) {
    let line =
      asJSON
      ? String(decoding: CloudEvent(event, of: log).encoded(), as: UTF8.self) : EventLine(event: event).description
    surroundings.print(line + "\n")
  }
}

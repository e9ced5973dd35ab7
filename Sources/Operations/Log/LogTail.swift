import Contracts
import EventLog
import Service

/// `refundlog log tail`
struct LogTail {
  private static let batch = 500

  private let surroundings: RefundlogProgram.Surroundings
  private let folder: String
  private let after: Position
  private let follows: Bool
  private let asJSON: Bool

  init(_ surroundings: RefundlogProgram.Surroundings, _ words: [String]) throws(CommandError) {
    let arguments = try surroundings.arguments(words, flags: ["data", "after"], switches: ["follow", "json"])
    self.surroundings = surroundings
    folder = surroundings.folder(arguments)
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
    let wakeups = log.wakeups()
    var position = after
    while true {
      let events: [RecordedEvent]
      do throws(LogReadError) { events = try log.read(after: position, limit: Self.batch) } catch {
        throw CommandError(error)
      }
      for event in events { surroundings.print(line(event, log.identity) + "\n") }
      position = events.last?.position ?? position
      if !events.isEmpty { continue }
      if !follows { return }
      wakeups.wait(milliseconds: 1_000)
    }
  }

  private func line(_ event: RecordedEvent, _ log: LogIdentity) -> String {
    asJSON ? String(decoding: CloudEvent(event, of: log).encoded(), as: UTF8.self) : EventLine(event: event).description
  }
}

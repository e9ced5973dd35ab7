public import HTTPTypes
import Synchronization

/// What a handler is given; answers a request once, now or later, from any thread.
///
/// Dropped without an answer it answers 500. When the client is gone by then, the answer goes nowhere.
public final class HTTPReply: Sendable {
  private let mailbox: Mailbox
  private let token: ConnectionToken
  private let isAnswered = Atomic(false)

  init(mailbox: Mailbox, token: ConnectionToken) {
    self.mailbox = mailbox
    self.token = token
  }

  /// Hands the reply to the connection's thread and returns at once. On that thread itself this costs no system
  /// call of its own; from other threads, replies are gathered for one wake-up.
  /// - Returns: false when there was an answer already: the first one counts.
  @discardableResult
  public func callAsFunction(_ response: HTTPResponse) -> Bool { reply(response) }

  /// Same as calling the value.
  @discardableResult
  public func reply(_ response: HTTPResponse) -> Bool {
    guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    mailbox.post(.reply(token, response, date: nil))
    return true
  }

  /// Replies as if the server's clock showed another instant: for stand-ins that rehearse a clock that is wrong.
  /// - Parameter date: what the Date field tells, milliseconds since 1970 UTC.
  @discardableResult
  public func reply(_ response: HTTPResponse, date: Int64) -> Bool {
    guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    mailbox.post(.reply(token, response, date: HTTPDate.text(milliseconds: date)))
    return true
  }

  /// Closes the connection without a reply, as a network does that breaks: for stand-ins that rehearse it.
  /// - Returns: false when there was an answer already.
  @discardableResult
  public func cut() -> Bool {
    guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    mailbox.post(.cut(token))
    return true
  }

  deinit {
    guard !isAnswered.load(ordering: .acquiring) else { return }
    mailbox.post(.reply(token, .problem(500, detail: "the request was not answered"), date: nil))
  }
}

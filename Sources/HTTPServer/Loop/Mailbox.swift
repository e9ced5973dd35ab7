import CLinux
import Glibc
import HTTPTypes
import Service
import Synchronization

/// How anything reaches a loop: messages from its own thread wait for the current step to end, messages
/// from others wake it, one wake-up for all that have gathered.
///
/// Bounded by the requests in flight, of which a connection has one.
final class Mailbox: Sendable {
  enum Message: Sendable {
    /// `date` takes the place of the server's own.
    case reply(ConnectionToken, HTTPResponse, date: String?)
    case cut(ConnectionToken)
    case stop(deadline: Int64)
  }

  private struct Waiting {
    var messages: [Message] = []
    var isClosed = false
  }

  /// Readable while messages from other threads wait.
  let wakeUp: Int32
  private let waiting = Monitor(Waiting())
  /// The loop's thread while it runs, else 0.
  private let owner = Atomic<UInt>(0)
  // Touched only by the thread that `owner` names.
  nonisolated(unsafe) private var own: [Message] = []

  init() throws(HTTPServerError) {
    wakeUp = clinux_eventfd()
    guard wakeUp >= 0 else { throw .system(call: "eventfd", reason: SystemError.text(errno)) }
  }

  deinit { close(wakeUp) }

  /// The calling thread is the loop's from now on.
  func open() { owner.store(UInt(pthread_self()), ordering: .releasing) }

  /// Nobody reads any more: messages that still come are dropped.
  func shut() {
    owner.store(0, ordering: .releasing)
    own = []
    waiting.withLock { $0 = Waiting(isClosed: true) }
  }

  func post(_ message: Message) {
    if owner.load(ordering: .acquiring) == UInt(pthread_self()) {
      own.append(message)
      return
    }
    let isFirst = waiting.withLock { waiting in
      guard !waiting.isClosed else { return false }
      waiting.messages.append(message)
      return waiting.messages.count == 1
    }
    guard isFirst else { return }
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  /// Whether the loop's thread has posted what it did not take yet.
  var hasOwn: Bool { !own.isEmpty }

  /// Messages the loop's thread posted itself.
  func takeOwn() -> [Message] {
    guard !own.isEmpty else { return [] }
    var taken: [Message] = []
    swap(&taken, &own)
    return taken
  }

  /// Messages of other threads; to be called when `wakeUp` is readable.
  func takeWaiting() -> [Message] {
    // Emptied before the messages are taken: what comes in between wakes the loop once more.
    var count: UInt64 = 0
    _ = read(wakeUp, &count, 8)
    return waiting.withLock { waiting in
      var taken: [Message] = []
      swap(&taken, &waiting.messages)
      return taken
    }
  }
}

import HTTPClient
import Service

/// Posts refund requests of different customers' consumables from a few threads, as fast as the receiver takes them.
final class RequestPost: Sendable {
  private struct State {
    var next = 0
    var released = 0
    var isOver = false
    var taken = 0
    var refused: [String] = []
  }

  private let state: Monitor<State>
  private let threads: [OwnedThread]

  /// - Parameters:
  ///   - purchase: transaction id of the request of that number, from 0.
  ///   - signedAt: when Apple signed it, asked when it is posted; milliseconds since 1970, UTC.
  init(
    to installation: Installation, purchase: @escaping @Sendable (Int) -> String,
    signedAt: @escaping @Sendable (Int) -> Int64
  ) {
    let state = Monitor(State())
    self.state = state
    let notices = SignedNotices(store: installation.store, environment: "Production")
    threads = (0..<4).map { number in
      OwnedThread(name: "post.\(number)") {
        let client = HTTPClient()
        while let request = Self.next(state) {
          let instant = signedAt(request)
          let token = notices.token(
            "CONSUMPTION_REQUEST", uuid: SignedNotices.uuid(6, request), signedAt: instant,
            notices.transaction(purchase(request), signedAt: instant))
          do {
            let status = try installation.post(token, with: client)
            state.change { status == 200 ? $0.taken += 1 : $0.refused.append("\(request): \(status)") }
          } catch { state.change { $0.refused.append("\(request): \(error)") } }
        }
      }
    }
  }

  /// Lets so many in all be posted.
  func release(_ count: Int) { state.change { $0.released = max($0.released, count) } }

  /// Returns when all that were released are posted; none may be released after.
  /// - Returns: what was not taken.
  func end() -> [String] {
    state.change { $0.isOver = true }
    for thread in threads { thread.join() }
    return state.withLock { $0.refused }
  }

  private static func next(_ state: Monitor<State>) -> Int? {
    state.wait { state -> Int?? in
      guard state.next < state.released else { return state.isOver ? .some(nil) : nil }
      state.next += 1
      return state.next - 1
    }!
  }
}

import EventLog
import Glibc
import HTTPClient
import HTTPTypes
import Service

@testable import Operations

/// Stands where the App Store Server API is: notes each call from its first byte to its end, takes its time or fails as
/// told, and passes the simulator's judgement on where one stands behind it.
final class WatchedAppStore: Sendable {
  /// One call as this side saw it.
  struct Call: Sendable {
    var method: HTTPMethod
    var path: String
    var body: String
    /// Newest position of the log when the call began; nil where no log is watched.
    var head: Position?
    /// Milliseconds of `MonotonicClock`.
    var startedAt: Int64
    var endedAt: Int64?
    /// What the App Store made of it; also where the reply did not get through.
    var status: Int?
    /// Whether a reply left.
    var isReplied = false

    /// Last part of the path of Send Consumption Information.
    var transactionID: String { String(path.split(separator: "/").last ?? "") }
  }

  /// What becomes of a call.
  enum Course: Sendable {
    case judged(afterMilliseconds: Int)
    /// Judged, and the connection is lost before the reply.
    case replyLost(afterMilliseconds: Int)
    /// The connection is lost before it is looked at.
    case dropped
    /// Not judged at all.
    case failed(status: Int)

    fileprivate var isReplyLost: Bool {
      switch self {
      case .dropped, .replyLost: true
      case .judged, .failed: false
      }
    }
  }

  private struct State {
    var calls: [Call] = []
    var connections = 0
    var inFlight = 0
    var isStopping = false
    var simulator: UInt16?
    var data: String?
    var log: LocalEventLog?
    var course: @Sendable () -> Course
  }

  let port: UInt16
  private let socket: Int32
  private let state: Monitor<State>
  private let accepting: OwnedThread

  /// - Parameters:
  ///   - simulator: port of what judges; nil takes everything.
  ///   - data: folder of the log whose head is noted with each call.
  ///   - course: asked for each call.
  init(
    simulator: UInt16? = nil, data: String? = nil,
    course: @escaping @Sendable () -> Course = { .judged(afterMilliseconds: 0) }
  ) {
    let state = Monitor(State(simulator: simulator, data: data, course: course))
    self.state = state
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      precondition(bind(socket, pointer, length) == 0 && listen(socket, 64) == 0, "a test server needs a port")
      getsockname(socket, pointer, &length)
    }
    port = UInt16(bigEndian: address.sin_port)
    accepting = OwnedThread(name: "app-store") {
      while true {
        let connection = Self.accept(on: socket)
        guard connection >= 0 else { return }
        state.change { $0.connections += 1 }
        _ = OwnedThread(name: "app-store.call") {
          Self.serve(connection, state)
          close(connection)
          state.change { $0.connections -= 1 }
        }
      }
    }
  }

  deinit { stop() }

  /// Ends when every connection has.
  func stop() {
    guard
      !state.change({ state in
        defer { state.isStopping = true }
        return state.isStopping
      })
    else { return }
    shutdown(socket, Int32(SHUT_RDWR))
    accepting.join()
    _ = state.wait { $0.connections == 0 ? true : nil }
    close(socket)
  }

  var calls: [Call] { state.withLock { $0.calls } }

  /// Open ones.
  var connections: Int { state.withLock { $0.connections } }

  /// Puts a simulator behind it, where there is one, and a log beside it.
  func watch(simulator: UInt16? = nil, data: String) {
    state.change { state in
      state.simulator = simulator
      state.data = data
    }
  }

  /// What becomes of the calls that come from now on.
  func take(_ course: @escaping @Sendable () -> Course) { state.change { $0.course = course } }

  /// Waits until no call has been under way for a while; ten seconds at most.
  /// - Returns: whether it is so.
  func waitUntilIdle(milliseconds: Int64 = 200) -> Bool {
    let deadline = MonotonicClock.milliseconds() + 10_000
    var quietSince = MonotonicClock.milliseconds()
    while MonotonicClock.milliseconds() < deadline {
      if state.withLock({ $0.inFlight > 0 }) { quietSince = MonotonicClock.milliseconds() }
      if MonotonicClock.milliseconds() - quietSince >= milliseconds { return true }
      usleep(5_000)
    }
    return false
  }

  /// Waits until each call that was sent here is noted: nobody is connected but those whose call is under way. For when
  /// whoever calls has gone; ten seconds at most.
  /// - Returns: whether it is so.
  func waitUntilNoted() -> Bool {
    state.wait(until: MonotonicClock.milliseconds() + 10_000) { $0.connections == $0.inFlight ? true : nil } == true
  }

  // MARK: One connection

  private static func accept(on socket: Int32) -> Int32 {
    let connection = Glibc.accept(socket, nil, nil)
    // The programs that the test starts must not inherit it.
    if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
    return connection
  }

  private static func serve(_ connection: Int32, _ state: Monitor<State>) {
    // Looks now and then whether the test is over.
    var pause = timeval(tv_sec: 0, tv_usec: 200_000)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &pause, socklen_t(MemoryLayout<timeval>.size))
    let client = HTTPClient()
    var parser = RequestParser()
    while let request = next(connection, &parser, state) {
      // Whoever asks for nothing but the time makes no call; here there is none to tell.
      if request.method == .get, request.target.path == "/" {
        let bytes = Array("HTTP/1.1 404 Told\r\nContent-Length: 0\r\n\r\n".utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        continue
      }
      let (number, course) = begin(request, state)
      let reply = carryOut(request, course, state, client)
      if let reply, !course.isReplyLost {
        let bytes =
          Array("HTTP/1.1 \(reply.status) Told\r\nContent-Length: \(reply.body.count)\r\n\r\n".utf8) + reply.body
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
      state.change { state in
        state.calls[number].endedAt = MonotonicClock.milliseconds()
        state.calls[number].status = reply?.status
        state.calls[number].isReplied = !course.isReplyLost
        state.inFlight -= 1
      }
      if course.isReplyLost { return }
    }
  }

  private static func next(_ connection: Int32, _ parser: inout RequestParser, _ state: Monitor<State>) -> HTTPRequest?
  {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR {
        if state.withLock({ $0.isStopping }) { return nil }
        continue
      }
      guard count > 0 else { return nil }
      switch buffer[..<count].withUnsafeBytes({ parser.receive($0) }) {
      case .request(let request, _): return request
      case .needMore, .sendContinue: continue
      case .refuse: return nil
      }
    }
  }

  /// The head is read under the lock, so that the calls stand in the order in which they were looked at.
  private static func begin(_ request: HTTPRequest, _ state: Monitor<State>) -> (number: Int, course: Course) {
    state.change { state in
      if state.log == nil, let data = state.data { state.log = try? LocalEventLog.reading(data) }
      state.calls.append(
        Call(
          method: request.method, path: request.target.path, body: String(decoding: request.body, as: UTF8.self),
          head: try? state.log?.head().position, startedAt: MonotonicClock.milliseconds()))
      state.inFlight += 1
      return (state.calls.count - 1, state.course())
    }
  }

  private static func carryOut(
    _ request: HTTPRequest, _ course: Course, _ state: Monitor<State>, _ client: HTTPClient
  ) -> (status: Int, body: [UInt8])? {
    switch course {
    case .dropped: return nil
    case .failed(let status): return (status, [])
    case .judged(let milliseconds), .replyLost(let milliseconds): usleep(UInt32(milliseconds) * 1_000)
    }
    guard let simulator = state.withLock({ $0.simulator }) else { return (202, []) }
    do {
      let reply = try client.send(
        HTTPClientRequest(
          request.method, HTTPURL("http://127.0.0.1:\(simulator)\(request.target)"), fields: request.fields,
          body: request.body))
      return (reply.status, reply.body)
    } catch { return (503, []) }
  }
}

import Glibc
import HTTPTypes
import Service

/// Stands in for the App Store: keeps every call it got, and answers as told, one call at a time.
final class AppStoreStandIn: Sendable {
  struct Call: Sendable, Equatable {
    var method: HTTPMethod
    var path: String
    var authorization: String?
    var body: String
  }

  enum Reply: Sendable {
    case status(Int, fields: [String] = [], body: String = "")
    /// The call arrived, its reply never does.
    case lost
  }

  private struct State {
    var calls: [Call] = []
    /// For the next calls, in order; then what `judge` says.
    var replies: [Reply]
    /// Real instants of the calls, in milliseconds.
    var arrivals: [Int64] = []
  }

  let port: Int
  private let socket: Int32
  private let thread: OwnedThread
  private let shared: Shared

  /// - Parameters:
  ///   - replies: for the first calls, in order.
  ///   - clock: what its Date fields say; without one it sends none.
  ///   - judge: what it says to the calls after those.
  init(
    _ replies: [Reply] = [], clock: @escaping @Sendable () -> Int64? = { nil },
    judge: @escaping @Sendable (Call) -> Reply = { _ in .status(202) }
  ) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      precondition(bind(socket, pointer, length) == 0 && listen(socket, 16) == 0, "a test server needs a port")
      getsockname(socket, pointer, &length)
    }
    self.socket = socket
    port = Int(UInt16(bigEndian: address.sin_port))
    let shared = Shared(replies, clock, judge)
    self.shared = shared
    thread = OwnedThread(name: "app-store") {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        Self.serve(connection, shared)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    thread.join()
    close(socket)
  }

  var calls: [Call] { shared.state.withLock { $0.calls } }
  /// Those that bring an answer.
  var answers: [Call] { calls.filter { $0.method == .put } }
  var arrivals: [Int64] { shared.state.withLock { $0.arrivals } }

  private final class Shared: Sendable {
    let state: Monitor<State>
    let clock: @Sendable () -> Int64?
    let judge: @Sendable (Call) -> Reply
    init(_ replies: [Reply], _ clock: @escaping @Sendable () -> Int64?, _ judge: @escaping @Sendable (Call) -> Reply) {
      state = Monitor(State(replies: replies))
      self.clock = clock
      self.judge = judge
    }
  }

  private static func serve(_ connection: Int32, _ shared: Shared) {
    var wait = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    guard let request = read(connection) else { return }
    let call = Call(
      method: request.method, path: request.target.path, authorization: request.fields["Authorization"],
      body: String(decoding: request.body, as: UTF8.self))
    let told: Reply? = shared.state.withLock { state in
      state.calls.append(call)
      state.arrivals.append(MonotonicClock.milliseconds())
      return state.replies.isEmpty || call.method != .put ? nil : state.replies.removeFirst()
    }
    let reply = told ?? shared.judge(call)
    guard case .status(let status, let fields, let body) = reply else { return }
    let lines =
      ["HTTP/1.1 \(status) Told", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields
      + (shared.clock().map { ["Date: \(HTTPDate.text(milliseconds: $0))"] } ?? [])
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private static func read(_ connection: Int32) -> HTTPRequest? {
    var parser = RequestParser()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      if case .request(let request, _) = buffer[..<count].withUnsafeBytes({ parser.receive($0) }) { return request }
    }
  }
}

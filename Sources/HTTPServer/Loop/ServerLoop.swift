import CLinux
import Glibc
import HTTPTypes
import Service

/// One network thread: its listener, its connections, and the steps between epoll's reports.
///
/// `@unchecked Sendable`: made by `HTTPServer.start`, then touched only by the thread that calls `run`; other
/// threads reach `mailbox` alone.
final class ServerLoop: @unchecked Sendable {
  static let receiveBytes = 64 * 1024
  private static let eventsPerWait = 256
  private static let acceptsPerStep = 64
  /// After the system refused another descriptor, accepting rests so long.
  private static let acceptRestMilliseconds: Int64 = 100

  let mailbox: Mailbox
  let settings: HTTPServerSettings
  let handler: HTTPHandler
  let epoll: Int32
  let received = UnsafeMutableRawBufferPointer.allocate(byteCount: ServerLoop.receiveBytes, alignment: 16)
  private let clock: WallClock
  private let tls: TLSContext?
  private let connectionsMax: Int
  private var listener: Listener?
  private var isAccepting = true
  private var acceptAgainAt: Int64 = .max
  private var slots: [Connection?] = []
  private var freeSlots: [Int] = []
  private var generation: UInt32 = 0
  private var connections = 0
  private var deadlines = DeadlineHeap()
  private var stopDeadline: Int64?
  private var dateSecond: Int64 = .min
  private var dateText = ""
  /// When the current step began.
  private(set) var now: Int64 = 0

  init(
    listener: Listener, tls: TLSContext?, settings: HTTPServerSettings, clock: WallClock,
    handler: @escaping HTTPHandler
  ) throws(HTTPServerError) {
    self.listener = listener
    self.tls = tls
    self.settings = settings
    self.clock = clock
    self.handler = handler
    connectionsMax = max(1, settings.connectionsMax / settings.threads)
    mailbox = try Mailbox()
    epoll = clinux_epoll_create()
    guard epoll >= 0 else { throw .system(call: "epoll_create1", reason: SystemError.text(errno)) }
    guard clinux_epoll_add(epoll, listener.socket, clinux_epollin, ConnectionToken.listener) == 0,
      clinux_epoll_add(epoll, mailbox.wakeUp, clinux_epollin, ConnectionToken.mailbox) == 0
    else { throw .system(call: "epoll_ctl", reason: SystemError.text(errno)) }
  }

  deinit {
    close(epoll)
    received.deallocate()
  }

  var isStopping: Bool { stopDeadline != nil }

  /// Serves until told to stop through the mailbox.
  func run() {
    clinux_block_sigpipe()
    mailbox.open()
    defer { end() }
    var tokens = [UInt64](repeating: 0, count: Self.eventsPerWait)
    var events = [UInt32](repeating: 0, count: Self.eventsPerWait)
    while true {
      now = MonotonicClock.milliseconds()
      if let stopDeadline, connections == 0 || now >= stopDeadline { return }
      let count = clinux_epoll_wait(epoll, &tokens, &events, Int32(Self.eventsPerWait), timeout)
      now = MonotonicClock.milliseconds()
      for index in 0..<Int(max(count, 0)) {
        switch tokens[index] {
        case ConnectionToken.listener: accept()
        case ConnectionToken.mailbox: for message in mailbox.takeWaiting() { take(message) }
        default:
          if let connection = connection(ConnectionToken(rawValue: tokens[index])) { step(connection, events[index]) }
        }
      }
      expire()
      deliverOwn()
    }
  }

  /// Value of the Date field, made once a second.
  var date: String {
    let milliseconds = clock.now()
    if milliseconds / 1000 != dateSecond {
      dateSecond = milliseconds / 1000
      dateText = HTTPDate.text(milliseconds: milliseconds)
    }
    return dateText
  }

  // MARK: Messages

  /// Replies that handlers gave on this thread. A reply may let the next request of its connection through, whose
  /// handler replies again: that one waits for the next round, so that whoever sends ahead holds up nobody else.
  private func deliverOwn() { for message in mailbox.takeOwn() { take(message) } }

  private func take(_ message: Mailbox.Message) {
    switch message {
    case .reply(let token, let response, let date):
      if let connection = connection(token) { answer(connection, response, date: date) }
    case .cut(let token):
      if let connection = connection(token), case .inFlight = connection.state { drop(connection) }
    case .stop(let deadline):
      guard stopDeadline == nil else { return }
      stopDeadline = deadline
      listener = nil
      for case let connection? in slots {
        if case .reading = connection.state, connection.parser.phase == .betweenRequests { drop(connection) }
        if case .handshaking = connection.state { drop(connection) }
      }
    }
  }

  private func end() {
    mailbox.shut()
    listener = nil
    slots = []
  }

  // MARK: Deadlines

  private var timeout: Int32 {
    if mailbox.hasOwn { return 0 }
    let next = min(deadlines.first ?? .max, acceptAgainAt, stopDeadline ?? .max)
    // One hour is as good as for ever and fits every type.
    return next == .max ? 3_600_000 : Int32(clamping: max(0, min(next - now, 3_600_000)))
  }

  func setDeadline(_ connection: Connection, milliseconds: Int64?) {
    guard let milliseconds else {
      connection.deadline = .max
      return
    }
    connection.deadline = now + milliseconds
    // A later one is found when the earlier entry comes up: keep-alive traffic leaves the heap alone.
    guard connection.deadline < connection.scheduled else { return }
    connection.scheduled = connection.deadline
    deadlines.insert(connection.deadline, connection.token)
  }

  private func expire() {
    if now >= acceptAgainAt { resumeAccepting() }
    while let token = deadlines.popDue(at: now) {
      guard let connection = connection(token), connection.scheduled <= now else { continue }
      connection.scheduled = .max
      if connection.deadline <= now {
        expired(connection)
      } else if connection.deadline != .max {
        connection.scheduled = connection.deadline
        deadlines.insert(connection.deadline, token)
      }
    }
  }

  // MARK: Connections

  private func connection(_ token: ConnectionToken) -> Connection? {
    guard token.slot < slots.count, let connection = slots[token.slot], connection.token == token else { return nil }
    return connection
  }

  private func accept() {
    for _ in 0..<Self.acceptsPerStep {
      guard let listener else { return }
      guard connections < connectionsMax else { return pauseAccepting() }
      var address = [CChar](repeating: 0, count: 64)
      let socket = clinux_accept_from(listener.socket, &address, Int32(address.count))
      guard socket >= 0 else {
        switch errno {
        case EINTR, ECONNABORTED: continue
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
          acceptAgainAt = now + Self.acceptRestMilliseconds
          return pauseAccepting()
        default: return
        }
      }
      let text = String(decoding: address.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      add(socket, remoteAddress: text)
    }
  }

  private func add(_ socket: Int32, remoteAddress: String) {
    let session = tls?.session(socket: socket)
    guard tls == nil || session != nil else {
      close(socket)
      return
    }
    generation &+= 1
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(nil) }
    let connection = Connection(
      token: ConnectionToken(slot: slot, generation: generation), transport: Transport(socket: socket, tls: session),
      remoteAddress: remoteAddress, limits: settings.limits, interest: clinux_epollin)
    slots[slot] = connection
    connections += 1
    guard clinux_epoll_add(epoll, socket, clinux_epollin, connection.token.rawValue) == 0 else {
      return drop(connection)
    }
    setDeadline(
      connection, milliseconds: tls == nil ? settings.headMilliseconds : settings.handshakeMilliseconds)
  }

  /// Forgets the connection; its socket is closed when the last local reference goes, at the end of the step.
  func drop(_ connection: Connection) {
    guard slots[connection.token.slot] === connection else { return }
    slots[connection.token.slot] = nil
    freeSlots.append(connection.token.slot)
    connections -= 1
    connection.deadline = .max
    connection.interest = 0
    if acceptAgainAt == .max { resumeAccepting() }
  }

  private func pauseAccepting() {
    guard isAccepting, let listener else { return }
    isAccepting = false
    _ = clinux_epoll_modify(epoll, listener.socket, 0, ConnectionToken.listener)
  }

  private func resumeAccepting() {
    acceptAgainAt = .max
    guard !isAccepting, let listener else { return }
    isAccepting = true
    _ = clinux_epoll_modify(epoll, listener.socket, clinux_epollin, ConnectionToken.listener)
  }
}

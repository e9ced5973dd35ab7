/// Cuts requests out of the bytes of one connection. A value: it never touches a socket and knows no time.
///
/// Feed what arrives with `receive`; after each `.request` is answered, ask `next` for one that came along
/// with it. The bytes kept are at most one incomplete head or chunk line, the body so far, and what was
/// received behind a complete request: a server that reads no more while it answers bounds them all.
/// - Source: RFC 9112, strictly: bare line feeds, folded fields and doubtful lengths are refused.
public struct RequestParser: Sendable {
  public enum Action: Hashable, Sendable {
    /// Nothing to do until more bytes come.
    case needMore
    /// The client waits for `100 Continue` before it sends the body; ask `next` right away.
    case sendContinue
    /// A complete request; `remoteAddress` is empty.
    case request(HTTPRequest, HTTPPersistence)
    /// Answer with this status and close; every further call gives the same.
    case refuse(HTTPParseFailure)
  }

  /// Where the connection stands, for the choice of a deadline.
  public enum Phase: Hashable, Sendable { case betweenRequests, head, body }

  private let limits: HTTPLimits
  private var pending: [UInt8] = []
  private var scanner = HeadScanner(allowsLeadingEmptyLine: true)
  private var head: RequestHead?
  private var reader: BodyReader?
  private var failure: HTTPParseFailure?

  public init(limits: HTTPLimits = .init()) { self.limits = limits }

  public var phase: Phase {
    if head != nil { .body } else { pending.isEmpty ? .betweenRequests : .head }
  }

  /// Bytes received and not yet part of a request.
  public var pendingBytes: Int { pending.count }

  /// Takes what the connection gave; the bytes are copied once, into the body where they belong to one.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Action {
    guard pending.isEmpty else {
      pending.append(contentsOf: bytes)
      return next()
    }
    let (action, used) = advance(over: bytes)
    if used < bytes.count { pending.append(contentsOf: bytes.part(used..<bytes.count)) }
    return action
  }

  /// Looks at what is kept from before.
  public mutating func next() -> Action {
    // Moved out for the time of reading, so that the parser can change while it reads; nothing is copied.
    var input: [UInt8] = []
    swap(&input, &pending)
    let (action, used) = input.withUnsafeBytes { advance(over: $0) }
    if used == input.count {
      // An idle connection keeps no large buffer.
      if input.capacity <= 4096 { input.removeAll(keepingCapacity: true) } else { input = [] }
    } else if used > 0 {
      input.removeFirst(used)
    }
    swap(&input, &pending)
    return action
  }

  private mutating func advance(over input: UnsafeRawBufferPointer) -> (Action, used: Int) {
    if let failure { return (.refuse(failure), 0) }
    do throws(HTTPParseFailure) {
      var used = 0
      if head == nil {
        guard let end = try scanner.end(in: input, limit: limits.headBytesMax) else { return (.needMore, 0) }
        let head = try RequestHead(input.part(0..<end), limits: limits)
        reader = try BodyReader(head.framing, limits: limits)
        self.head = head
        used = end
        if head.expectsContinue, reader?.isDone == false { return (.sendContinue, used) }
      }
      used += try reader?.read(input.part(used..<input.count)) ?? 0
      guard let head, let reader, reader.isDone else { return (.needMore, used) }
      let request = HTTPRequest(
        method: head.method, target: head.target, authority: head.authority, fields: head.fields, body: reader.body)
      self.head = nil
      self.reader = nil
      scanner = HeadScanner(allowsLeadingEmptyLine: true)
      return (.request(request, head.persistence), used)
    } catch {
      failure = error
      return (.refuse(error), input.count)
    }
  }
}

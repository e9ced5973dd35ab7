/// Cuts the reply to one request out of the bytes of a connection. A value, like `RequestParser`.
///
/// Interim replies (1xx) are passed over, at most eight of them. Bytes behind the reply are a fault of the
/// peer: `hasTrailingBytes` tells, and the connection is not to be used again.
public struct ResponseParser: Sendable {
  public enum Action: Hashable, Sendable {
    case needMore
    /// The complete reply and whether the connection may carry another request.
    case response(HTTPResponse, keepAlive: Bool)
    case fail(HTTPParseFailure)
  }

  private static let interimRepliesMax = 8

  private let limits: HTTPLimits
  private let isReplyToHead: Bool
  private var pending: [UInt8] = []
  private var scanner = HeadScanner(allowsLeadingEmptyLine: false)
  private var head: ResponseHead?
  private var reader: BodyReader?
  private var interimReplies = 0
  private var failure: HTTPParseFailure?

  /// - Parameter method: of the request; the reply to HEAD has no body.
  public init(replyTo method: HTTPMethod, limits: HTTPLimits = .init()) {
    isReplyToHead = method == .head
    self.limits = limits
  }

  /// True when the peer sent more than the reply.
  public var hasTrailingBytes: Bool { !pending.isEmpty && head == nil }

  /// Takes what the connection gave.
  public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Action {
    guard pending.isEmpty else {
      pending.append(contentsOf: bytes)
      var input: [UInt8] = []
      swap(&input, &pending)
      let (action, used) = input.withUnsafeBytes { advance(over: $0) }
      input.removeFirst(used)
      swap(&input, &pending)
      return action
    }
    let (action, used) = advance(over: bytes)
    if used < bytes.count { pending.append(contentsOf: bytes.part(used..<bytes.count)) }
    return action
  }

  /// The peer ended the connection: a body without announced length is complete with that, anything else is cut.
  public mutating func endOfInput() -> Action {
    if let failure { return .fail(failure) }
    guard let head, reader?.endOfInput() == true, let body = reader?.body else {
      return .fail(HTTPParseFailure(400, "the connection ended before the reply was complete"))
    }
    return .response(HTTPResponse(status: head.status, fields: head.fields, body: body), keepAlive: false)
  }

  private mutating func advance(over input: UnsafeRawBufferPointer) -> (Action, used: Int) {
    if let failure { return (.fail(failure), 0) }
    do throws(HTTPParseFailure) {
      var used = 0
      while head == nil {
        let rest = input.part(used..<input.count)
        guard let end = try scanner.end(in: rest, limit: limits.headBytesMax) else { return (.needMore, used) }
        let head = try ResponseHead(rest.part(0..<end), limits: limits)
        used += end
        scanner = HeadScanner(allowsLeadingEmptyLine: false)
        if head.isInterim {
          interimReplies += 1
          guard interimReplies <= Self.interimRepliesMax else {
            throw HTTPParseFailure(400, "there are too many interim replies")
          }
          continue
        }
        let hasBody = !isReplyToHead && head.status != 204 && head.status != 304
        reader = try BodyReader(hasBody ? head.framing : .length(0), limits: limits)
        self.head = head
      }
      used += try reader?.read(input.part(used..<input.count)) ?? 0
      guard let head, let reader, reader.isDone else { return (.needMore, used) }
      self.head = nil
      let response = HTTPResponse(status: head.status, fields: head.fields, body: reader.body)
      return (.response(response, keepAlive: head.keepAlive), used)
    } catch {
      failure = error
      return (.fail(error), input.count)
    }
  }
}

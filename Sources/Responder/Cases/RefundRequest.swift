/// One CONSUMPTION_REQUEST inside a case, with what became of it.
struct RefundRequest: Codable, Equatable, Sendable {
  /// Id of the notification's event.
  var id: String
  var signedAt: Int64
  /// First receipt by any of the developer's servers.
  var receivedAt: Int64
  /// Apple's word; absent where Apple sent none.
  var reason: String?
  var attempts: [Attempt] = []
  var withheld: Withheld?
  /// Apple refused an answer for nothing but the share used in it: none is told again. Absent is no.
  var takesNoShare: Bool?

  struct Withheld: Codable, Equatable, Sendable {
    var reason: String
    var at: Int64
  }

  /// One call, from its claim to its result.
  struct Attempt: Codable, Equatable, Sendable {
    /// From 1, counted within the purchase.
    var number: Int64
    /// Id of the claim.
    var claim: String
    /// When it was claimed, and the claim's position in the log.
    var at: Int64
    var position: Int64
    var sendBy: Int64
    /// The exact text of the body.
    var body: String
    /// Fingerprint of key and address that the call was made with.
    var caller: String?
    var result: Result?

    /// Apple has its body, or may have it.
    var mayHaveBeenTaken: Bool {
      switch result {
      case .sent, .unknown, nil: true
      case .refused, .failed, .limited, .unauthorised: false
      }
    }

    /// Refused for good, or until settings change.
    var isRefused: Bool { if case .refused = result { true } else { false } }

    /// When Apple took it; nil where it did not.
    var sentAt: Int64? { if case .sent(_, let at) = result { at } else { nil } }
  }

  enum Result: Codable, Equatable, Sendable {
    case sent(status: Int64, at: Int64)
    /// Refused for good, or until settings change.
    case refused(status: Int64?)
    /// To be tried again from this instant on.
    case failed(retryAt: Int64)
    /// Too many calls: none of the app's before this instant.
    case limited(retryAt: Int64)
    /// The token was not taken: to be tried again when key or settings may be right.
    case unauthorised(at: Int64)
    /// Apple may have it; to be sent again from this instant on.
    case unknown(retryAt: Int64)
  }

  /// The claim that waits for its result.
  var openAttempt: Attempt? { attempts.last { $0.result == nil } }

  var isAnswered: Bool { attempts.contains { $0.sentAt != nil } }

  var isRefused: Bool { attempts.last?.isRefused ?? false }

  /// From when on the next attempt may be made; nil where nothing speaks against now.
  var retryAt: Int64? {
    switch attempts.last?.result {
    case .failed(let retryAt), .limited(let retryAt), .unknown(let retryAt): retryAt
    case .sent, .refused, .unauthorised, nil: nil
    }
  }

  /// The same whatever came first, also among those that were signed at one instant.
  func isOlder(than other: RefundRequest) -> Bool { (signedAt, id) < (other.signedAt, other.id) }

  /// Nothing more is to be done by itself.
  var hasEnded: Bool { withheld != nil || isAnswered || isRefused }
}

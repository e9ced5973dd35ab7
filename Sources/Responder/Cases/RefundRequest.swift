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
    /// Position of the claim in the log.
    var position: Int64
    var sendBy: Int64
    var result: Result?

    /// Apple has its body, or may have it.
    var mayHaveBeenTaken: Bool {
      switch result {
      case .sent, .unknown, nil: true
      case .refused, .failed: false
      }
    }
  }

  enum Result: Codable, Equatable, Sendable {
    case sent(status: Int64, at: Int64)
    /// Refused for good, or until settings change.
    case refused(status: Int64?)
    /// To be tried again from this instant on.
    case failed(retryAt: Int64)
    /// Apple may have it; to be sent again from this instant on.
    case unknown(retryAt: Int64)
  }

  /// The claim that waits for its result.
  var openAttempt: Attempt? { attempts.last { $0.result == nil } }

  var isAnswered: Bool {
    attempts.contains { if case .sent = $0.result { true } else { false } }
  }

  var isRefused: Bool {
    if case .refused = attempts.last?.result { true } else { false }
  }

  /// From when on the next attempt may be made; nil where nothing speaks against now.
  var retryAt: Int64? {
    switch attempts.last?.result {
    case .failed(let retryAt), .unknown(let retryAt): retryAt
    case .sent, .refused, nil: nil
    }
  }

  /// Nothing more is to be done by itself.
  var hasEnded: Bool { withheld != nil || isAnswered || isRefused }
}

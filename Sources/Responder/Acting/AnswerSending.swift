import AppStore

/// Makes the calls that were claimed, and brings Apple's reply into the log.
protocol AnswerSending: Sendable {
  /// Calls that may be under way at once.
  var senders: Int { get }

  /// Calls that may start at once; asked before a claim is made.
  var idleSenders: Int { get }

  /// Takes a claim; the call is made on a thread of the sender.
  func send(_ claim: WonClaim)

  /// Whether the call of a claim waits here, or is under way: whatever a clock says, it is not lost.
  func holds(_ claim: String) -> Bool

  /// Asks Apple for its time.
  func askTime(of environment: ServerEnvironment)

  /// - Parameter tell: in the place of the one before. Called by the sender's thread when it is free again, so it must
  ///   not wait for anything.
  func whenFree(_ tell: @escaping @Sendable () -> Void)
}

/// Makes the calls that were claimed, and brings Apple's reply into the log.
protocol AnswerSending: Sendable {
  /// Calls that may start at once; asked before a claim is made.
  var idleSenders: Int { get }

  /// Takes a claim; the call is made on a thread of the sender.
  func send(_ claim: WonClaim)
}

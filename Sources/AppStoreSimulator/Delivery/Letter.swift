import AppStore
import JSON

/// A signed notification on its way: the same bytes at every attempt.
///
/// Whether Apple signs anew for a repetition is not documented; the UUID stays, and that is what repetitions are told by.
struct Letter: Sendable {
  let signed: NotificationSigner.Signed
  /// Number of its record in the ledger.
  let record: Int
  /// Attempts on the schedule so far; copies of one attempt count once.
  var attempts = 0
  /// A fault has put it off once; that is enough.
  var wasPutOff = false

  var transactionId: String? { signed.transactionId }
  var notificationType: String? { signed.payload["notificationType"]?.string }
}

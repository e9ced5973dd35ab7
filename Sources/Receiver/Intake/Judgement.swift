import Contracts
import EventLog

/// What a token is to the receiver as it is set up now.
enum Judgement: Sendable {
  /// Genuine, and of one of our apps: to be appended.
  case event(EventDraft, UnknownWords)
  /// Genuine, and does not fit: to be kept until it does.
  case parked(ParkedNotification)
  /// Can never become good.
  case refused(Problem)
}

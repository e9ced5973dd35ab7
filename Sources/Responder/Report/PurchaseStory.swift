import Contracts
import EventLog

/// What the log tells of a purchase at the instant of a call; the projection may be behind.
struct PurchaseStory: Sendable {
  private static let batch = 200

  /// The app that sold it: Apple's word, else that of whoever spoke of it first; nil where nobody did.
  private(set) var app: String?
  /// Folded as far as it can be read.
  private(set) var state: CaseState
  /// Whether Apple said anything that makes it a case.
  private(set) var isCase = false
  /// Of the stream, when it was read; what is folded may end earlier.
  private(set) var version: Int64 = 0
  /// Where the folding ended, when an event cannot be read.
  private(set) var stuck: CasePage.Stuck?

  /// Blocks.
  init(of purchase: PurchaseKey, in log: any EventLog) throws(LogReadError) {
    state = CaseState(purchase)
    var isApples = false
    while true {
      let events = try log.read(stream: state.stream, after: version, limit: Self.batch)
      guard let last = events.last else { return }
      for event in events {
        if CaseState.opensCase(kind: event.kind) { isCase = true }
        let isNotification = event.type == EventType.notificationReceived.rawValue
        if !isApples, isNotification || app == nil { app = event.app ?? app }
        isApples = isApples || isNotification
        if stuck == nil {
          do throws(ContractError) { try state.fold(event) } catch {
            stuck = CasePage.Stuck(position: event.position.value, error: "\(error)")
          }
        }
      }
      version = last.version
    }
  }

  /// Pseudonym of whoever an app's purchase is, also before Apple said whose purchase it is; nil where nobody knows.
  func customer(of app: String) -> String? { state.tokenCustomer?.value ?? state.links[app]?.value }
}

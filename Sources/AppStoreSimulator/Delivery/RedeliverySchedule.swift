import AppStore

/// When a notification that was not acknowledged is tried again.
/// Source: App Store Server Notifications, «Responding to App Store Server Notifications».
public enum RedeliverySchedule: String, Sendable, CaseIterable {
  /// As the notification's environment has it: five more times in Production, never in the sandbox.
  case apple
  /// Production's, also in the sandbox: to rehearse it.
  case production
  case none

  /// From each attempt to the next, milliseconds.
  private static let waits: [Int64] = [1, 12, 24, 48, 72].map { $0 * 3_600_000 }

  /// - Parameter attempts: how many there were.
  /// - Returns: milliseconds from the last attempt to the next; nil when there is none.
  func wait(after attempts: Int, in environment: ServerEnvironment) -> Int64? {
    let waits = self == .production || (self == .apple && environment == .production) ? Self.waits : []
    return attempts >= 1 && attempts <= waits.count ? waits[attempts - 1] : nil
  }
}

/// State of the customer's account. Source: App Store Server API, «userStatus» of version 1.
public enum UserStatus: Int64, Sendable, Hashable, CaseIterable {
  case undeclared = 0
  case active = 1
  case suspended = 2
  case terminated = 3
  case limited = 4
}

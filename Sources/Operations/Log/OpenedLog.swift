import Cryptography
import EventLog
import Service

extension LocalEventLog {
  /// A log for reading, beside running services.
  static func reading(_ folder: String) throws(CommandError) -> LocalEventLog {
    // A log that is only read needs nothing random.
    let parts = LogParts(clock: WallClock.system.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid)
    do throws(LogOpenError) { return try LocalEventLog(folder: folder, access: .readOnly, parts: parts) } catch {
      if case .damaged = error { throw CommandError(.damage, error.description) }
      throw CommandError(.unavailable, error.description)
    }
  }
}

extension CommandError {
  init(_ error: LogReadError) {
    switch error {
    case .unreadable: self.init(.unavailable, error.description)
    case .replaced, .restored: self.init(.failure, error.description)
    case .lost, .altered: self.init(.damage, error.description)
    }
  }
}

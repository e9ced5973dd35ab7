import Cryptography
import EventLog
import Service

extension LocalEventLog {
  /// A log for reading, beside running services.
  static func reading(_ folder: String) throws(CommandError) -> LocalEventLog {
    // A log that is only read needs nothing random.
    let parts = LogParts(clock: WallClock.system.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid)
    do throws(LogOpenError) { return try LocalEventLog(folder: folder, access: .readOnly, parts: parts) } catch {
      throw CommandError(error)
    }
  }
}

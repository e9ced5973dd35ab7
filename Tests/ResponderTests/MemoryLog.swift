import Cryptography
import EventLog

/// Logs in memory with randomness of their own.
enum MemoryLog {
  static func make() -> MemoryEventLog {
    MemoryEventLog(parts: LogParts(clock: { 0 }, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid))
  }
}

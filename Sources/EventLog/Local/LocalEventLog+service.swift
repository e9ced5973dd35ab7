import Cryptography
public import Service

extension LocalEventLog {
  /// Opens the log of a service, with real randomness.
  /// - Parameter metrics: where its figures are registered.
  public static func open(
    _ folder: String, clock: WallClock, metrics: MetricRegistry? = nil
  ) throws(StartError) -> LocalEventLog {
    let parts = LogParts(
      clock: clock.now, randomBytes: SecureRandom.bytes, newLogID: SecureRandom.uuid,
      metrics: metrics.map { LogMetrics($0, folder: folder) })
    do throws(LogOpenError) { return try LocalEventLog(folder: folder, access: .readWrite, parts: parts) } catch {
      throw StartError(error.isDamage ? .damage : .unavailable, error.description)
    }
  }
}

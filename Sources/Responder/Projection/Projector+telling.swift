import EventLog
import Service

extension Projector.Listener {
  /// Counts and logs what does not fold.
  static func telling(_ metrics: ResponderMetrics, _ logger: Logger) -> Self {
    Self(
      stuck: { mark in
        metrics.stuck.add()
        logger.error(
          "event cannot be read, its stream is left alone",
          [
            "event.position": .integer(mark.position.value), "stream": .text(mark.stream.text),
            "reason": .text(mark.error),
          ])
      }, unknown: { count in metrics.unknown.add(Int64(count)) })
  }
}

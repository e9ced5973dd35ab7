import Service

/// Figures of what is kept beside the log.
enum StateMetrics {
  static func add(_ state: StateWriter, to registry: MetricRegistry) {
    registry.measured(
      "refundlog_parked_notifications", "Genuine notifications that wait for the settings or the release that fit them"
    ) { Double(state.now.parked) }
    registry.measured("refundlog_quarantined_bodies", "Notes of refused bodies that are kept") {
      Double(state.now.quarantined)
    }
    registry.counted("refundlog_quarantine_dropped_total", "Refused bodies of which no note was taken: too many came") {
      state.notesDropped.value
    }
  }
}

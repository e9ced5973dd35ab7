import JSON
import Service

/// The clock that the programs and the play share: set to another instant, and faster than the machine's.
struct DemoClock: Equatable {
  /// What it shows when the machine's clock shows `since`; milliseconds since 1970, UTC.
  var start: Int64
  var since: Int64
  /// How many times faster it runs.
  var speed: Int64

  /// Shows `instant` now.
  init(showing instant: Int64, speed: Int64, machine: WallClock = .system) {
    start = instant
    since = machine.now()
    self.speed = speed
  }

  /// The same values as the programs read, so all of them agree.
  var clock: WallClock { .scaled(start: start, since: since, speed: Double(speed)) }

  var now: Int64 { clock.now() }

  /// The setting `clock`.
  var json: JSONValue {
    [
      "start": .number(JSONNumber(start)), "since": .number(JSONNumber(since)), "speed": .number(JSONNumber(speed)),
    ]
  }

  /// The hour and minute of an instant, UTC.
  static func text(_ instant: Int64) -> String { String(RFC3339.text(instant).dropFirst(11).prefix(5)) }
}

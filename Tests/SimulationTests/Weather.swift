import Service

/// What goes wrong at the moment, and how often.
struct Weather {
  /// How the App Store meets calls.
  enum Store: CaseIterable { case clear, serverErrors, cuts, limited, unauthorised, silent }

  var store = Store.clear
  /// One step in so many is a process's last; 0 for none.
  var crashOneIn = 0
  /// Milliseconds that the machine's clock is ahead.
  var clockAhead: Int64 = 0 { didSet { if clockAhead != 0 { isClockWrong = true } } }
  /// It was, at some time: who has learned of it reckons otherwise from some instant on.
  private(set) var isClockWrong = false
  /// Everything works from now on.
  var isCalm = false

  func crashes(_ scheduler: Scheduler) -> Bool {
    crashOneIn > 0 && !isCalm && scheduler.isOne(in: crashOneIn)
  }
}

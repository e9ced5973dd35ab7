/// The setting `clock`: another start and speed for the service's clock, for old vectors and demonstrations.
public enum ClockSetting {
  /// Reads the object `clock`; absent means the machine's own clock.
  /// - Parameter addresses: every App Store URL in force. With one that is not this machine, a set clock is refused:
  ///   tokens and deadlines that Apple sees must be true.
  public static func read(_ reader: SettingsReader, addresses: [String]) -> WallClock {
    let clock = reader.optionalObject("clock") { clock in
      let start = clock.optionalInstant("start", "what the clock shows at `since`")
      let since = clock.optionalInstant("since", "instant of the machine's clock; default: the start of the process")
      let speed = clock.number("speed", 1, above: 0, atMost: 100_000, "how many times faster it runs")
      return (start: start, since: since, speed: speed)
    }
    guard let clock else { return .system }
    if let foreign = addresses.first(where: { !isLoopback($0) }) {
      reader.refuse(
        "clock", "may only be set where every App Store URL is this machine, for rehearsals; \(foreign) is not")
    }
    let since = clock.since ?? WallClock.system.now()
    return .scaled(start: clock.start ?? since, since: since, speed: clock.speed)
  }

  /// Whether a URL leads to this machine: 127.0.0.0/8, [::1] or localhost.
  static func isLoopback(_ url: String) -> Bool {
    guard let scheme = url.range(of: "://") else { return false }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" }
    if authority.contains("@") { return false }
    if authority == "[::1]" || authority.hasPrefix("[::1]:") { return true }
    let host = authority.prefix { $0 != ":" }
    if host == "localhost" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension String {
  fileprivate func range(of mark: String) -> Range<String.Index>? { ranges(of: mark).first }
}

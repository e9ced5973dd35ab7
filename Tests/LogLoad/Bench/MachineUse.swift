import Glibc
import Service

/// What else the machine did meanwhile: figures of a busy machine are not worth keeping.
struct MachineUse {
  private let began = MonotonicClock.nanoseconds()
  private let busyAtFirst = Self.busySeconds()
  private let ownAtFirst = Self.ownSeconds()

  static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Over the last minute.
  static var load: Double {
    var loads = [0.0]
    return getloadavg(&loads, 1) == 1 ? loads[0] : 0
  }

  /// Cores that others kept busy since this value was made, kernel threads among them. What this program has started
  /// counts as its own once it has ended.
  func otherCores() -> Double {
    let elapsed = Double(MonotonicClock.nanoseconds() - began) / 1e9
    let others = Self.busySeconds() - busyAtFirst - (Self.ownSeconds() - ownAtFirst)
    return max(0, others / max(elapsed, 0.001))
  }

  private static func busySeconds() -> Double {
    // user nice system idle iowait irq softirq steal
    guard let text = try? Files.read("/proc/stat", bytesMax: 1 << 20) else { return 0 }
    let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
    let idle = ticks.count > 4 ? ticks[3] + ticks[4] : 0
    return (ticks.reduce(0, +) - idle) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  }

  private static func ownSeconds() -> Double {
    [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { sum, who in
      var usage = rusage()
      getrusage(__rusage_who_t(who), &usage)
      func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
      return sum + seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
  }
}

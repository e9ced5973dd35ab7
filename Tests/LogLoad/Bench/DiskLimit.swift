import Glibc
import Service

/// What the disk can do: writes of one size into a file that has its length already, as a write-ahead log has once it
/// goes round, each followed by `fdatasync`.
struct DiskLimit {
  let folder: String

  /// - Returns: syncs per second, and their latencies.
  func syncs(ofBytes size: Int, seconds: Double) throws(LoadError) -> (perSecond: Double, latencies: Latencies) {
    let path = folder + "/sync.probe"
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw LoadError("\(path) cannot be written") }
    defer {
      close(file)
      unlink(path)
    }
    var random = SplitMix(seed: 1)
    let block = random.bytes(size)
    let blocks = max(1, (8 << 20) / size)
    for number in 0..<blocks { pwrite(file, block, size, off_t(number * size)) }
    fsync(file)
    var latencies = Latencies()
    let began = MonotonicClock.nanoseconds()
    let deadline = began + Int64(seconds * 1e9)
    var now = began
    while now < deadline {
      pwrite(file, block, size, off_t(latencies.count % blocks * size))
      fdatasync(file)
      let after = MonotonicClock.nanoseconds()
      latencies.add(after - now)
      now = after
    }
    return (Double(latencies.count) / (Double(now - began) / 1e9), latencies)
  }
}

import Service

/// The most memory that this process has had resident.
enum PeakMemory {
  /// nil where the system does not tell.
  static func bytes() -> Int64? {
    guard let status = try? Files.read("/proc/self/status", bytesMax: 16_384) else { return nil }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
    return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }.map {
      $0 * 1_024
    }
  }
}

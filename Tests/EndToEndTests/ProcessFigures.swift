import Glibc
import TestSupport
import Testing

/// What a running program takes of the machine, as `/proc` tells it.
struct ProcessFigures: CustomStringConvertible {
  /// In memory now, and at most since its start.
  var residentKiB: Int
  var peakKiB: Int
  var threads: Int
  var openFiles: Int

  init(of id: pid_t) throws {
    let text = String(decoding: try #require(Project.bytes("/proc/\(id)/status")), as: UTF8.self)
    let lines = text.split(separator: "\n")
    func number(_ name: String) throws -> Int {
      let line = try #require(lines.first { $0.hasPrefix("\(name):") })
      return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }
    residentKiB = try number("VmRSS")
    peakKiB = try number("VmHWM")
    threads = try number("Threads")
    openFiles = try Self.openFiles(of: id)
  }

  var description: String { "\(residentKiB) KiB (at most \(peakKiB)), \(threads) threads, \(openFiles) open files" }

  private static func openFiles(of id: pid_t) throws -> Int {
    let folder = try #require(opendir("/proc/\(id)/fd"))
    defer { closedir(folder) }
    var count = -2
    while readdir(folder) != nil { count += 1 }
    return count
  }
}

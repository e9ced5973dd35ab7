import Glibc
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("A rehearsal that refundlog init wrote") struct RehearsalTests {
  @Test("works when its next commands are pasted", .timeLimit(.minutes(5))) func paste() throws {
    let folder = TemporaryFolder()
    let ports = try FreePort.several(3).map(String.init).joined(separator: ",")
    let place = folder.path + "/it's here"
    var printed = ""
    let code = RefundlogProgram(
      .init(print: { printed += $0 }, complain: { printed += $0 }, variables: [:], programs: Programs.folder)
    ).run(["init", "--folder", place, "--rehearsal", "--ports", ports])
    try #require(code == .success, "\(printed)")
    let commands = printed.split(separator: "\n").map { $0.drop { $0 == " " } }
    var children: [ChildProcess] = []
    defer { while let child = children.popLast() { child.stop() } }
    for name in ["appstore-simulator", "refund-receiver", "refund-responder"] {
      let command = try #require(commands.first { $0.contains("/\(name)") })
      #expect(command.hasSuffix(" --settings \(AbsolutePath.quoted(place + "/refundlog.json"))"))
      let child = try ChildProcess(
        name, in: Programs.folder, arguments: ["--settings", place + "/refundlog.json"],
        output: "\(folder.path)/\(name).log")
      children.append(child)
      let deadline = MonotonicClock.milliseconds() + 20_000
      while !child.isReady {
        try #require(child.isRunning && MonotonicClock.milliseconds() < deadline, "\(name) is not ready")
        usleep(20_000)
      }
    }
    let calls = commands.filter { $0.hasPrefix("curl ") }
    try #require(calls.count == 4)
    let script = calls.dropLast().joined(separator: "\n") + "\n"
    try Files.write(Array(script.utf8), to: folder.path + "/paste")
    try Files.write(Array((calls.last! + "\n").utf8), to: folder.path + "/look")
    #expect(try run("/bin/sh", [folder.path + "/paste"]).output.contains("\"status\":200"))
    let deadline = MonotonicClock.milliseconds() + 20_000
    while try !run("/bin/sh", [folder.path + "/look"]).output.contains("consumptionPercentage") {
      try #require(MonotonicClock.milliseconds() < deadline, "Apple was told nothing")
      usleep(100_000)
    }
  }
}

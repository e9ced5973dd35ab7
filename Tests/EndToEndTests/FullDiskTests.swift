import Glibc
import HTTPClient
import HTTPTypes
import Service
import TestSupport
import Testing

@testable import Operations

@Suite("A full disk", .serialized, .timeLimit(.minutes(5)))
struct FullDiskTests {
  /// A small file system of its own, where this process may mount one. Elsewhere the disk is full by rule, and the test
  /// says so.
  private final class SmallDisk {
    let path: String
    private let isMounted: Bool
    private let control: FaultControl
    private var filling: Int32 = -1

    init(in folder: String, _ control: FaultControl) throws {
      self.control = control
      path = folder + "/disk"
      try Files.makeFolder(path)
      // Blocks as large as the pages of memory: with smaller ones the index of the write-ahead log, which lies in memory,
      // may find no room for the rest of a page, and the kernel ends the program then.
      isMounted =
        try run(
          "/bin/sh",
          [
            "-c",
            "truncate -s 24M \(folder)/image && mkfs.ext4 -q -F -b 4096 \(folder)/image && mount -o loop \(folder)/image \(path)",
          ]
        ).code == 0
      if !isMounted { print("FullDiskTests: no file system may be mounted here, so ENOSPC comes by rule") }
    }

    deinit {
      free()
      if isMounted { _ = try? run("/bin/sh", ["-c", "umount -l \(path)"]) }
    }

    /// Leaves some room, less than a commit takes in the end.
    func fill() {
      guard isMounted else {
        control.set(
          .fail(errno: ENOSPC), [.write, .truncate], of: [.log, .logWAL, .logSharedMemory, .state, .stateWAL])
        return
      }
      filling = open("\(path)/filling", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      let block = [UInt8](repeating: 0x55, count: 4_096)
      while write(filling, block, block.count) > 0 {}
      // What is left over for small ones.
      while write(filling, block, 1) > 0 {}
    }

    func free() {
      control.clear()
      if filling >= 0 { close(filling) }
      filling = -1
      unlink("\(path)/filling")
    }
  }

  @Test("is answered with 503 until there is room again, and nothing is lost")
  func full() throws {
    let folder = TemporaryFolder()
    let control = try FaultControl(in: folder.path)
    let disk = try SmallDisk(in: folder.path, control)
    var installation = try Installation(in: folder.path, production: 1, sandbox: 1, data: disk.path + "/data")
    installation.programs = try PreloadedLibrary(
      in: folder.path, watching: installation.data, control: control.path
    ).programs
    let receiver = try installation.program("refund-receiver")
    defer { receiver.kill() }
    try receiver.startAndWait()
    let port = [installation.ports.receiver]
    let traffic = NoticeTraffic(installation)
    for round in 0..<Effort.pick(2, long: 10) {
      traffic.post(20, to: port)
      disk.fill()
      let senders = traffic.begin(to: port)
      // The write-ahead log has room of its own for a while: what was checkpointed is written over.
      let deadline = MonotonicClock.milliseconds() + 20_000
      let before = traffic.tally.unavailable
      while traffic.tally.unavailable < before + 20, MonotonicClock.milliseconds() < deadline { usleep(10_000) }
      #expect(traffic.tally.unavailable >= before + 20, "round \(round)")
      let ready = try HTTPClient().send(
        HTTPClientRequest(.get, HTTPURL("http://127.0.0.1:\(port[0])/readyz")))
      #expect(ready.status == 503)
      #expect(
        String(decoding: ready.body, as: UTF8.self).contains("full"), "\(String(decoding: ready.body, as: UTF8.self))")
      disk.free()
      traffic.stop(senders)
      traffic.post(20, to: port)
      #expect(
        try HTTPClient().send(HTTPClientRequest(.get, HTTPURL("http://127.0.0.1:\(port[0])/readyz"))).status == 200)
    }
    receiver.kill()
    #expect(receiver.endedByItself.isEmpty)
    let left = SurvivingFolder(installation.data)
    #expect(left.fault == nil)
    #expect(left.missing(of: traffic.tally.acknowledged).isEmpty)
    #expect(traffic.tally.wrong.isEmpty && traffic.tally.withoutRetryAfter == 0)
  }
}

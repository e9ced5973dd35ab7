import Glibc
import Service
import Testing

@Suite("Signals", .serialized) struct ProcessSignalsTests {
  @Test("that ask to reload are passed on, and one that asks to stop ends the wait", arguments: [SIGTERM, SIGINT])
  func wait(stop: Int32) {
    let reloads = Monitor(0)
    // A thread of its own: signals that are held are held by it alone, and these are sent to it alone.
    OwnedThread(name: "signals") {
      ProcessSignals.hold()
      for signal in [SIGHUP, stop] { pthread_kill(pthread_self(), signal) }
      ProcessSignals.waitForStop { reloads.change { $0 += 1 } }
    }.join()
    #expect(reloads.withLock { $0 } == 1)
  }

  @Test("of a peer that closed its end do not end the process")
  func brokenPipe() {
    let written = Monitor<Int32>(0)
    OwnedThread(name: "pipe") {
      ProcessSignals.hold()
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0)
      close(ends[0])
      let count = write(ends[1], "x", 1)
      let reason = errno
      close(ends[1])
      written.change { $0 = count < 0 ? reason : 0 }
    }.join()
    #expect(written.withLock { $0 } == EPIPE)
  }

  @Test("held at the start are held by every thread that is started then")
  func inherited() {
    let stopped = Monitor(false)
    OwnedThread(name: "main") {
      ProcessSignals.hold()
      OwnedThread(name: "child") {
        pthread_kill(pthread_self(), SIGTERM)
        ProcessSignals.waitForStop()
        stopped.change { $0 = true }
      }.join()
    }.join()
    #expect(stopped.withLock { $0 })
  }
}

import Service
import Testing

@Suite("A monitor and owned threads") struct ThreadsTests {
  @Test("let no change be lost")
  func counting() {
    let count = Monitor(0)
    let threads = (0..<4).map { number in
      OwnedThread(name: "count-\(number)-with-a-long-name") { for _ in 0..<5_000 { count.change { $0 += 1 } } }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 20_000)
  }

  @Test("hand values over in order")
  func handing() {
    let queue = Monitor([Int]())
    let received = Monitor([Int]())
    let thread = OwnedThread(name: "taker") {
      while true {
        let next = queue.wait { $0.isEmpty ? nil : $0.removeFirst() }!
        if next < 0 { return }
        received.withLock { $0.append(next) }
      }
    }
    for number in 0..<1_000 { queue.change { $0.append(number) } }
    queue.change { $0.append(-1) }
    thread.join()
    #expect(received.withLock { $0 } == Array(0..<1_000))
  }

  @Test("wake everyone who waits")
  func everyone() {
    let state = Monitor((isOpen: false, passed: 0))
    let threads = (0..<8).map { _ in
      OwnedThread(name: "waiter") { _ = state.wait { $0.isOpen ? ($0.passed += 1) : nil } }
    }
    state.change { $0.isOpen = true }
    for thread in threads { thread.join() }
    #expect(state.withLock { $0.passed } == 8)
  }

  @Test("give up at the deadline, and not before")
  func deadline() {
    let value = Monitor(0)
    let before = MonotonicClock.milliseconds()
    let result: Int? = value.wait(until: before + 60) { _ in nil }
    #expect(result == nil)
    #expect(MonotonicClock.milliseconds() >= before + 60)
    // A deadline that has passed still looks once.
    #expect(value.wait(until: before) { $0 == 0 ? "there" : nil } == "there")
  }

  @Test("pass on the error of what runs under the lock, and are free afterwards")
  func error() {
    struct Fault: Error, Equatable {}
    let value = Monitor(1)
    #expect(throws: Fault()) { try value.withLock { (_) throws(Fault) -> Void in throw Fault() } }
    #expect(value.withLock { $0 } == 1)
  }

  @Test("can be joined twice, or be left to themselves")
  func joining() {
    let done = Monitor(0)
    let thread = OwnedThread(name: "once") { done.change { $0 += 1 } }
    thread.join()
    thread.join()
    _ = OwnedThread(name: "alone") { done.change { $0 += 1 } }
    #expect(done.wait(until: MonotonicClock.milliseconds() + 10_000) { $0 == 2 ? true : nil } == true)
  }
}

import Service

/// Jobs that several threads do, with results taken in the order of the jobs by the thread that asked. Jobs and results
/// that wait are bounded.
enum OrderedWork {
  private struct Desk<Job: Sendable, Outcome: Sendable> {
    var jobs: [(number: Int, job: Job)] = []
    var outcomes: [Int: Outcome] = [:]
    var isClosed = false
  }

  /// - Parameters:
  ///   - ahead: how many jobs may be under way or done and not taken.
  ///   - next: the next job; nil when there are no more.
  ///   - work: done on a thread of its own, several at a time.
  ///   - take: what is to happen with a result; false ends it all.
  static func run<Job: Sendable, Outcome: Sendable, Failure: Error>(
    threads: Int, ahead: Int, next: () throws(Failure) -> Job?, work: @escaping @Sendable (Job) -> Outcome,
    take: (Outcome) throws(Failure) -> Bool
  ) throws(Failure) {
    let desk = Monitor(Desk<Job, Outcome>())
    let workers = (0..<threads).map { number in
      OwnedThread(name: "fold.\(number)") {
        while let (number, job) = desk.wait({ desk -> (Int, Job)?? in
          if let first = desk.jobs.first {
            desk.jobs.removeFirst()
            return first
          }
          return desk.isClosed ? .some(nil) : nil
        })! {
          let outcome = work(job)
          desk.change { $0.outcomes[number] = outcome }
        }
      }
    }
    defer {
      desk.change {
        $0.jobs = []
        $0.isClosed = true
      }
      for worker in workers { worker.join() }
    }
    var given = 0
    var taken = 0
    var isDry = false
    while true {
      while !isDry, given - taken < ahead {
        guard let job = try next() else {
          isDry = true
          break
        }
        let number = given
        desk.change { $0.jobs.append((number, job)) }
        given += 1
      }
      if taken == given { return }
      let number = taken
      let outcome = desk.wait { $0.outcomes.removeValue(forKey: number) }!
      taken += 1
      guard try take(outcome) else { return }
    }
  }
}

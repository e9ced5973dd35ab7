import Glibc

/// A value behind a lock whose holders can wait for it to change. For owned threads only: `wait` blocks.
///
/// A POSIX mutex and no `Synchronization.Mutex`, also where nobody waits: the thread sanitizer does not see the
/// system call by which a contended one of those is handed over, and takes correct programs for racy.
///
/// `@unchecked Sendable`: `value` is touched only between lock and unlock of `mutex`, and `Value` crosses
/// threads under that lock alone.
public final class Monitor<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs a few lines with the value to itself.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Changes the value and wakes everyone who waits for it.
  public func change<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// Waits until `body` gives a result, looking again after each change.
  /// - Parameter until: instant of `MonotonicClock` after which nil is returned; nil waits for ever.
  public func wait<Result>(
    until deadlineMilliseconds: Int64? = nil, _ body: (inout Value) -> sending Result?
  ) -> sending Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      guard let deadlineMilliseconds else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var deadline = timespec(
        tv_sec: Int(deadlineMilliseconds / 1000), tv_nsec: Int(deadlineMilliseconds % 1000) * 1_000_000)
      if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&value) }
    }
  }
}

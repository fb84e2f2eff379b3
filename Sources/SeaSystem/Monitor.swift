import Glibc

/// A value that only one thread at a time can access, and whose changes other threads can wait for.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    change = .allocate(capacity: 1)
    change.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(change, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(mutex)
    change.deallocate()
    mutex.deallocate()
  }

  package func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      // A thread that wakes up needs the mutex.
      pthread_mutex_unlock(mutex)
      pthread_cond_broadcast(change)
    }
    return try body(&value)
  }

  package func wait<Result>(nanoseconds: Int64 = .max, for body: (inout Value) -> Result?) -> Result? {
    let (ends, isEndless) = Clock.monotonic().addingReportingOverflow(nanoseconds)
    var time = timespec(tv_sec: Int(ends / 1_000_000_000), tv_nsec: Int(ends % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer {
      // A thread that wakes up needs the mutex.
      pthread_mutex_unlock(mutex)
      pthread_cond_broadcast(change)
    }
    while true {
      if let result = body(&value) { return result }
      if isEndless {
        pthread_cond_wait(change, mutex)
      } else if pthread_cond_timedwait(change, mutex, &time) == ETIMEDOUT {
        return body(&value)
      }
    }
  }
}

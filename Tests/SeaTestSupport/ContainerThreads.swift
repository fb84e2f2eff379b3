import Glibc

/// Runs code on plain threads, for tests with several writers.
package enum Threads {
  private final class Job {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private final class Failures: @unchecked Sendable {
    private var lock = pthread_mutex_t()
    private(set) var all: [any Error] = []
    init() { pthread_mutex_init(&lock, nil) }
    deinit { pthread_mutex_destroy(&lock) }

    func add(_ error: any Error) {
      pthread_mutex_lock(&lock)
      all.append(error)
      pthread_mutex_unlock(&lock)
    }
  }

  /// Runs `body` with the numbers 0, 1, … in parallel. Returns the thrown errors after all threads have finished.
  package static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [any Error] {
    let failures = Failures()
    let threads = (0..<count).map { number in
      start { do { try body(number) } catch { failures.add(error) } }
    }
    for thread in threads { pthread_join(thread, nil) }
    return failures.all
  }
  package static func begin(_ body: @escaping @Sendable () -> Void) { pthread_detach(start(body)) }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      {
        Unmanaged<Job>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Job(body)).toOpaque())
    return thread
  }
}

import Glibc

/// A second thread that runs one task at a time, in parallel with the owner's thread.
package final class Worker {
  private let shared = Shared()
  private var thread = pthread_t()

  private final class Shared: @unchecked Sendable {
    private var mutex = pthread_mutex_t()
    private var change = pthread_cond_t()
    private var task: (() -> Void)?
    private var isEnding = false

    init() {
      pthread_mutex_init(&mutex, nil)
      pthread_cond_init(&change, nil)
    }

    deinit {
      pthread_cond_destroy(&change)
      pthread_mutex_destroy(&mutex)
    }

    private func locked(_ body: () -> Void) {
      pthread_mutex_lock(&mutex)
      body()
      pthread_cond_broadcast(&change)
      pthread_mutex_unlock(&mutex)
    }

    func give(_ work: @escaping () -> Void) { locked { task = work } }
    func end() { locked { isEnding = true } }

    func waitUntilIdle() { locked { while task != nil { pthread_cond_wait(&change, &mutex) } } }

    func work() {
      while true {
        var next: (() -> Void)?
        locked {
          while task == nil, !isEnding { pthread_cond_wait(&change, &mutex) }
          next = task
        }
        guard let next else { return }
        next()
        locked { task = nil }
      }
    }
  }

  package init() throws(SystemError) {
    let context = Unmanaged.passRetained(shared)
    let code = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Shared>.fromOpaque(context!).takeRetainedValue().work()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw SystemError(call: "pthread_create", errno: code, path: "")
    }
  }

  deinit {
    shared.end()
    pthread_join(thread, nil)
  }

  /// Starts a task. Before starting another task, call `wait`.
  package func start(_ task: @escaping () -> Void) { shared.give(task) }

  package func wait() { shared.waitUntilIdle() }
}

import Glibc

/// A thread that runs jobs one by one in the order in which they arrive. Callers do not wait for their jobs.
package final class SerialThread: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var count = 0
    var isEnding = false
  }

  private let state = Monitor(State())

  package init() throws(SystemError) {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Deeply nested values need a large stack, because they are processed recursively.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let context = Unmanaged.passRetained(state)
    let code = pthread_create(
      &thread, &attributes,
      { context in
        SerialThread.work(Unmanaged<Monitor<State>>.fromOpaque(context!).takeRetainedValue())
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw SystemError(call: "pthread_create", errno: code, path: "")
    }
  }

  deinit { state.with { $0.isEnding = true } }

  package var count: Int { state.with { $0.count } }

  package func run(_ job: @escaping @Sendable () -> Void) {
    state.with {
      $0.jobs.append(job)
      $0.count += 1
    }
  }

  private static func work(_ state: Monitor<State>) {
    while true {
      let jobs = state.wait { state -> [@Sendable () -> Void]? in
        guard !state.jobs.isEmpty || state.isEnding else { return nil }
        defer { state.jobs = [] }
        return state.jobs
      }
      guard let jobs, !jobs.isEmpty else { return }
      for job in jobs {
        job()
        state.with { $0.count -= 1 }
      }
    }
  }
}

import Glibc

/// A thread that waits until a watch reports something. It ends when this object is released.
package final class WatchThread: Sendable {
  package let watch: FileWatch
  private let isEnded = Guarded(false)

  /// - Parameters:
  ///   - others: returns descriptors that also end the wait.
  ///   - body: called on the thread after each wait.
  package init(
    others: @escaping @Sendable () -> [Int32] = { [] }, _ body: @escaping @Sendable (FileWatch.Wake) -> Void
  ) throws(SystemError) {
    watch = try FileWatch(stops: false)
    let lane = try SerialThread()
    lane.run { [watch, isEnded] in
      while !isEnded.with({ $0 }), let wake = try? watch.wait(nanoseconds: nil, others: others()) { body(wake) }
    }
  }

  deinit {
    isEnded.with { $0 = true }
    watch.interrupt()
  }
}

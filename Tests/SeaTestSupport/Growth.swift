import Glibc

/// How work grows with what it is done for: four times as much may take about four times as long, and not sixteen times.
package enum Growth {
  /// How many times longer `body` takes for four times as much, at best of some tries: other tests run beside this one.
  /// - Parameter body: gets how much, and does what is measured between the calls of what it is given.
  package static func ofFourfold(_ count: Int, _ body: (Int, (() throws -> Void) throws -> Void) throws -> Void)
    rethrows -> Double
  {
    var best = Double.infinity
    for _ in 0..<3 {
      var times: [Double] = []
      for count in [count, 4 * count] {
        var spent = 0.0
        try body(count) { work in
          let before = cpu()
          try work()
          spent += cpu() - before
        }
        times.append(spent)
      }
      best = min(best, times[1] / max(times[0], 1e-6))
      if best < linear { break }
    }
    return best
  }

  /// Below this it is linear, or N log N; four times four would be the square.
  package static let linear = 8.0

  /// Seconds of CPU of this thread.
  package static func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// Limits the bytes per second, with short bursts.
package final class Throttle {
  /// The period for which unused capacity is kept, in nanoseconds.
  private static let burst: Int64 = 100_000_000

  /// The limit in bytes per second, greater than 0.
  package let rate: Int64
  private var next = Clock.monotonic()

  package init(rate: Int64) { self.rate = rate }

  /// Waits until the rate permits the bytes that have passed.
  package func pass(_ count: Int) {
    guard count > 0 else { return }
    next = max(next, Clock.monotonic() - Throttle.burst) + Int64(Double(count) / Double(rate) * 1e9)
    while true {
      let left = next - Clock.monotonic()
      guard left > 0 else { return }
      Clock.sleep(nanoseconds: left)
    }
  }
}

/// Limits the number of bytes per second, but permits short bursts.
package final class Throttle {
  /// How long unused capacity remains available, in nanoseconds.
  private static let burst: Int64 = 100_000_000

  /// The limit in bytes per second, greater than 0.
  package let rate: Int64
  private var next = Clock.monotonic()

  package init(rate: Int64) { self.rate = rate }

  /// Waits as long as necessary to stay within the rate after `count` more bytes.
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

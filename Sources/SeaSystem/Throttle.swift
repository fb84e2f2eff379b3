/// Lets so many bytes pass in a second, and no more than a part of a second at once.
package final class Throttle {
  /// What was not used is kept for so long: nanoseconds.
  private static let burst: Int64 = 100_000_000

  /// Bytes in a second, more than none.
  package let rate: Int64
  /// When the next byte may pass.
  private var next = Clock.monotonic()

  package init(rate: Int64) { self.rate = rate }

  /// Waits until bytes that have passed may have.
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

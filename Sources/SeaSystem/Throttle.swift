/// Lets so many bytes pass in a second, and no more than a part of a second at once.
package final class Throttle {
  /// What was not used is kept for so long: nanoseconds.
  private static let burst: Int64 = 100_000_000

  private let rate: Double
  /// When the next byte may pass.
  private var next = Clock.monotonic()

  /// - Parameter rate: bytes in a second, more than none.
  package init(rate: Int64) { self.rate = Double(rate) }

  /// Waits until bytes that have passed may have.
  package func pass(_ count: Int) {
    guard count > 0 else { return }
    next = max(next, Clock.monotonic() - Throttle.burst) + Int64(Double(count) / rate * 1e9)
    while true {
      let left = next - Clock.monotonic()
      guard left > 0 else { return }
      Clock.sleep(nanoseconds: left)
    }
  }
}

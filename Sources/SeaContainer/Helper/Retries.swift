import SeaSystem

/// Decides when to retry a failed remote operation. Pauses double each time and vary randomly, so that clients that
/// failed at the same time do not retry at the same time.
package struct Retries {
  /// The maximum number of attempts if there is no answer.
  private static let most = 6
  /// The time limit in nanoseconds if the server is busy.
  private static let patience: Int64 = 60_000_000_000
  private static let first: Int64 = 100_000_000
  /// The time in nanoseconds during which a failed location is not tried again.
  package static let gone: Int64 = 10_000_000_000

  private let start = Clock.monotonic()
  private var tried = 0

  package init() {}

  /// - Parameters:
  ///   - isBusy: whether the server reported that it is busy.
  /// - wanted: the pause that the server requested, in nanoseconds.
  /// - Returns: the pause before the next attempt in nanoseconds; nil to give up.
  package mutating func next(isBusy: Bool = false, wanted: Int64 = 0) -> Int64? {
    let chance = Double((try? Random.bytes(1))?.first ?? 0) / 255
    let pause = max(wanted, Int64(Double(Retries.first << Int64(tried)) * (0.5 + chance / 2)))
    tried += 1
    guard isBusy || tried < Retries.most, Clock.monotonic() - start + pause < Retries.patience else { return nil }
    return pause
  }
}

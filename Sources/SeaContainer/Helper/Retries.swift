import SeaSystem

/// When what failed elsewhere is tried again: after pauses that double and vary, so that those that failed together do not come
/// back together.
package struct Retries {
  /// Where nobody answers, so often in all.
  private static let most = 6
  /// Where the answer is that it is busy, for so long: nanoseconds.
  private static let patience: Int64 = 60_000_000_000
  private static let first: Int64 = 100_000_000
  /// So long nobody goes on trying what was tried in vain: nanoseconds.
  package static let gone: Int64 = 10_000_000_000

  private let start = Clock.monotonic()
  private var tried = 0

  package init() {}

  /// - Parameters:
  ///   - isBusy: whether that was the answer.
  ///   - wanted: how long the other side wants to be left alone: nanoseconds.
  /// - Returns: the pause before the next try, in nanoseconds; nil if there is no more use in one.
  package mutating func next(isBusy: Bool = false, wanted: Int64 = 0) -> Int64? {
    let chance = Double((try? Random.bytes(1))?.first ?? 0) / 255
    let pause = max(wanted, Int64(Double(Retries.first << Int64(tried)) * (0.5 + chance / 2)))
    tried += 1
    guard isBusy || tried < Retries.most, Clock.monotonic() - start + pause < Retries.patience else { return nil }
    return pause
  }
}

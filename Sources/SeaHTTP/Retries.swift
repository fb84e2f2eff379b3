import SeaSystem

/// How often, and after how long, is asked again what a server did not answer, or not now.
package struct Retries {
  private static let most = 6
  /// After so long nothing is tried again: nanoseconds.
  private static let patience: Int64 = 60_000_000_000
  private static let first: Int64 = 100_000_000
  /// So long nobody goes on trying what was tried in vain: nanoseconds.
  package static let gone: Int64 = 10_000_000_000

  private let start = Clock.monotonic()
  private var tried = 0

  package init() {}

  /// - Parameter wanted: by the server, nanoseconds.
  /// - Returns: how long is waited before it is tried again, in nanoseconds; nil if there is no more use in it.
  package mutating func next(wanted: Int64) -> Int64? {
    // Those that were refused together do not come back together.
    let chance = Double((try? Random.bytes(1))?.first ?? 0) / 255
    let pause = max(wanted, Int64(Double(Retries.first << Int64(tried)) * (0.5 + chance / 2)))
    tried += 1
    guard tried < Retries.most, Clock.monotonic() - start + pause < Retries.patience else { return nil }
    return pause
  }
}

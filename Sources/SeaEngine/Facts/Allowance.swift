import SeaSystem

/// Limits the size, duration and speed of a run's transfers. A run stops between two blocks or files, and the next run
/// continues there.
///
/// The first block or file is always transferred, so repeated runs finish eventually.
package final class Allowance {
  package enum Limit: String, Sendable {
    case time, size
    case interrupt
  }

  /// Thrown to interrupt the transfer of a file, which the next run continues.
  package struct Reached: Error {}

  /// The time limit on the monotonic clock, in nanoseconds.
  package let ends: Int64?
  package let most: Int64?
  /// Whether to skip items that exceed the remaining size, even the first item, and try smaller ones.
  private let skipsLargeItems: Bool
  /// Limits the speed of local transfers. The connection to a helper has a separate limit.
  private let throttle: Throttle?
  private var moved: Int64 = 0
  private let stops: () -> Bool
  /// The limit that prevented a transfer.
  package private(set) var reached: Limit?

  /// - Parameters:
  ///   - seconds: the time limit, from now on.
  ///   - bytes: the maximum total size of blocks and asset files.
  ///   - skipsLargeItems: whether to skip items that are too large and try smaller ones.
  ///   - stops: returns whether the run must stop for another reason.
  package init(
    seconds: Int64?, bytes: Int64?, throttle: Throttle?, skipsLargeItems: Bool = false,
    stops: @escaping () -> Bool = { false }
  ) {
    (self.skipsLargeItems, self.stops) = (skipsLargeItems, stops)
    ends = seconds.map { Clock.monotonic() + $0 * 1_000_000_000 }
    (most, self.throttle) = (bytes, throttle)
  }

  var hasMoved: Bool { moved > 0 }
  package var isExhausted: Bool {
    if reached == nil, stops() { reached = .interrupt }
    if reached == nil, moved > 0 || most == 0 {
      if let ends, Clock.monotonic() >= ends { reached = .time }
      if let most, moved >= most, reached == nil { reached = .size }
    }
    return reached != nil
  }

  /// Returns whether a block or file may be transferred. If so, counts the item as transferred.
  package func reserve(_ bytes: Int64) -> Bool {
    if isExhausted { return false }
    if let most, skipsLargeItems || moved > 0, bytes > most - moved {
      if !skipsLargeItems { reached = .size }
      return false
    }
    moved += bytes
    return true
  }

  package var isLimited: Bool { ends != nil || most != nil }

  /// Whether the time limit has been reached, even if nothing has been transferred.
  package var hasTimedOut: Bool { ends.map { Clock.monotonic() >= $0 } ?? false }

  /// Corrects the count for an item that could not be transferred after all.
  package func refund(_ bytes: Int64) { moved -= bytes }

  /// Whether to interrupt the transfer of a file, if a later run can continue it.
  var mustInterrupt: Bool {
    if stops() { reached = .interrupt }
    if hasTimedOut { reached = .time }
    return reached == .time || reached == .interrupt
  }

  /// Waits until the speed limit permits more bytes. Remote transfers have a separate limit.
  func delay(_ bytes: Int, isFar: Bool) { if !isFar { throttle?.pass(bytes) } }
}

/// The work that a run leaves for the next run.
package struct Left: Equatable, Sendable {
  /// The number of blocks to import that the run knows of.
  package var pull = 0
  package var push = 0
  /// The number of assets to transfer in both directions.
  package var assets = 0

  package init(pull: Int = 0, push: Int = 0, assets: Int = 0) {
    (self.pull, self.push, self.assets) = (pull, push, assets)
  }

  package var isNothing: Bool { self == Left() }

  static func + (one: Left, other: Left) -> Left {
    Left(pull: one.pull + other.pull, push: one.push + other.push, assets: one.assets + other.assets)
  }
}

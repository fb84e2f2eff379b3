import SeaSystem

/// Limits how much one run may move between this instance and containers, for how long, and how fast. A run stops
/// between two blocks or files, each of which is complete, and the next run continues there.
///
/// The first block or file is always moved, so repeated runs come to an end.
package final class Allowance {
  package enum Limit: String, Sendable {
    case time, size
    /// The process was asked to stop.
    case interrupt
  }

  /// Thrown to stop a file that the next run continues.
  package struct Reached: Error {}

  /// The end of the time in monotonic nanoseconds.
  package let ends: Int64?
  package let most: Int64?
  /// Whether to skip an item larger than the remaining size, even the first one, in favor of smaller ones.
  private let passesOver: Bool
  /// Limits local transfers; the connection to a helper has its own limit.
  private let throttle: Throttle?
  private var moved: Int64 = 0
  /// Whether this process was asked to stop.
  private let stops: () -> Bool
  /// The limit that prevented a transfer.
  package private(set) var reached: Limit?

  /// - Parameters:
  ///   - seconds: the time from now on.
  ///   - bytes: the size of blocks and asset files.
  ///   - passesOver: whether the size is a strict limit, and every file is tried.
  ///   - stops: whether another reason ends the run.
  package init(
    seconds: Int64?, bytes: Int64?, throttle: Throttle?, passesOver: Bool = false,
    stops: @escaping () -> Bool = { false }
  ) {
    (self.passesOver, self.stops) = (passesOver, stops)
    ends = seconds.map { Clock.monotonic() + $0 * 1_000_000_000 }
    (most, self.throttle) = (bytes, throttle)
  }

  var hasMoved: Bool { moved > 0 }
  /// Whether no further transfer may begin.
  package var isSpent: Bool {
    if reached == nil, stops() { reached = .interrupt }
    if reached == nil, moved > 0 || most == 0 {
      if let ends, Clock.monotonic() >= ends { reached = .time }
      if let most, moved >= most, reached == nil { reached = .size }
    }
    return reached != nil
  }

  /// Returns whether a block or a file may be moved; if so, it counts as moved.
  package func takes(_ bytes: Int64) -> Bool {
    if isSpent { return false }
    if let most, passesOver || moved > 0, bytes > most - moved {
      if !passesOver { reached = .size }
      return false
    }
    moved += bytes
    return true
  }

  /// Whether there is a limit of time or size, apart from a stop by the user.
  package var isLimited: Bool { ends != nil || most != nil }

  /// Whether the time is over, even if nothing was moved.
  package var isOver: Bool { ends.map { Clock.monotonic() >= $0 } ?? false }

  /// Corrects the count for an item that could not be moved after all.
  package func giveBack(_ bytes: Int64) { moved -= bytes }

  /// Whether to interrupt a file that a later run can continue.
  var isLate: Bool {
    if stops() { reached = .interrupt }
    if isOver { reached = .time }
    return reached == .time || reached == .interrupt
  }

  /// Waits until the speed limit permits more bytes to or from a local place.
  func pass(_ bytes: Int, isFar: Bool) { if !isFar { throttle?.pass(bytes) } }
}

/// The work that a run leaves for the next one.
package struct Left: Equatable, Sendable {
  /// Blocks to import, as far as known.
  package var pull = 0
  /// Blocks to hand over.
  package var push = 0
  /// Assets in both directions.
  package var assets = 0

  package init(pull: Int = 0, push: Int = 0, assets: Int = 0) {
    (self.pull, self.push, self.assets) = (pull, push, assets)
  }

  package var isNothing: Bool { self == Left() }

  static func + (one: Left, other: Left) -> Left {
    Left(pull: one.pull + other.pull, push: one.push + other.push, assets: one.assets + other.assets)
  }
}

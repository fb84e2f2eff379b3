import SeaSystem

/// How much one run may move between here and containers, for how long, and how fast. What is moved in parts is whole after each block
/// and file, so that who comes to the end of it stops between two of them; the next run goes on there.
///
/// The first block or file is always moved: who is called again and again comes to an end.
package final class Allowance {
  package enum Limit: String, Sendable {
    case time, size
    /// Somebody has asked for it.
    case interrupt
  }

  /// What a file is stopped with that the next run goes on with.
  package struct Reached: Error {}

  /// When the time is over: monotonic nanoseconds.
  package let ends: Int64?
  package let most: Int64?
  /// Whether what is larger than what is left is passed over, the first as well, for others that may be smaller.
  private let passesOver: Bool
  /// For what no helper is asked for: the line to a helper has its own.
  private let throttle: Throttle?
  private var moved: Int64 = 0
  /// Whether this process was asked to stop.
  private let stops: () -> Bool
  /// Why there was something that was not begun.
  package private(set) var reached: Limit?

  /// - Parameters:
  ///   - seconds: from now on.
  ///   - bytes: of blocks and of files of assets.
  ///   - passesOver: whether no more is moved than that in any case, and each file has its chance.
  ///   - stops: whether nothing more is to be begun for another reason.
  package init(
    seconds: Int64?, bytes: Int64?, throttle: Throttle?, passesOver: Bool = false,
    stops: @escaping () -> Bool = { false }
  ) {
    (self.passesOver, self.stops) = (passesOver, stops)
    ends = seconds.map { Clock.monotonic() + $0 * 1_000_000_000 }
    (most, self.throttle) = (bytes, throttle)
  }

  /// Whether anything was moved.
  var hasMoved: Bool { moved > 0 }
  /// Whether nothing more is to be begun.
  package var isSpent: Bool {
    if reached == nil, stops() { reached = .interrupt }
    if reached == nil, moved > 0 || most == 0 {
      if let ends, Clock.monotonic() >= ends { reached = .time }
      if let most, moved >= most, reached == nil { reached = .size }
    }
    return reached != nil
  }

  /// Whether a block or a file may be moved; then it counts as moved.
  package func takes(_ bytes: Int64) -> Bool {
    if isSpent { return false }
    if let most, passesOver || moved > 0, bytes > most - moved {
      if !passesOver { reached = .size }
      return false
    }
    moved += bytes
    return true
  }

  /// Whether there is a limit to come to, and not only somebody who may stop it.
  package var isLimited: Bool { ends != nil || most != nil }

  /// Whether the time is over, whatever was moved in it.
  package var isOver: Bool { ends.map { Clock.monotonic() >= $0 } ?? false }

  /// What was to be moved was not to be had.
  package func giveBack(_ bytes: Int64) { moved -= bytes }

  /// Whether a file that can be gone on with is to be left as it is for now.
  var isLate: Bool {
    if stops() { reached = .interrupt }
    if isOver { reached = .time }
    return reached == .time || reached == .interrupt
  }

  /// Waits until bytes that were read from a place or written there may have been.
  func pass(_ bytes: Int, isFar: Bool) { if !isFar { throttle?.pass(bytes) } }
}

/// What a run has left for the next one.
package struct Left: Equatable, Sendable {
  /// Blocks to take in, as far as is known.
  package var pull = 0
  /// Blocks to hand over.
  package var push = 0
  /// Assets both ways.
  package var assets = 0

  package init(pull: Int = 0, push: Int = 0, assets: Int = 0) {
    (self.pull, self.push, self.assets) = (pull, push, assets)
  }

  package var isNothing: Bool { self == Left() }

  static func + (one: Left, other: Left) -> Left {
    Left(pull: one.pull + other.pull, push: one.push + other.push, assets: one.assets + other.assets)
  }
}

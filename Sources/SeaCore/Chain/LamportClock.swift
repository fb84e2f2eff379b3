/// The clock rule of the header, which depends only on the blocks that a block names.
package enum LamportClock {
  /// Returns the Lamport time of a block. `greatest` is the maximum of its predecessors, or 0 without any. The time
  /// stops at `UInt32.max`.
  package static func next(after greatest: UInt32) -> UInt32 { greatest == .max ? .max : greatest + 1 }

  /// Returns the proven time of a block, which is at most its Lamport time.
  /// - Parameter greatest: the greatest proven time of its predecessors.
  package static func proven(_ lamport: UInt32, after greatest: UInt32) -> UInt32 {
    min(lamport, next(after: greatest))
  }
}

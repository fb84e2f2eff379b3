package enum LamportClock {
  /// Returns the Lamport time of a block, at most `UInt32.max`. `greatest` is the highest time of the block's
  /// predecessors, or 0 without predecessors.
  package static func next(after greatest: UInt32) -> UInt32 { greatest == .max ? .max : greatest + 1 }

  /// Returns the proven time of a block, which is at most its Lamport time.
  /// - Parameter greatest: the highest proven time of the block's predecessors.
  package static func proven(_ lamport: UInt32, after greatest: UInt32) -> UInt32 {
    min(lamport, next(after: greatest))
  }
}

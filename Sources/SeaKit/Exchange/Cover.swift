import SeaCore

/// Which blocks at the end of a chain nobody has signed for yet.
///
/// A removed block has no signature; it counts only through a later block that has one, or anybody who can write into a
/// container could end a chain with it.
struct Cover {
  /// The first block that is not covered.
  private(set) var openFrom: UInt32?

  /// The next block of the chain.
  mutating func add(_ header: BlockHeader) {
    if header.mode.contains(.removed) {
      if openFrom == nil { openFrom = header.index }
    } else {
      openFrom = nil
    }
  }
}

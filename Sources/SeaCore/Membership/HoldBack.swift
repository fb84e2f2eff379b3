/// Holds back the blocks of juniors if a senior has written a block that this instance cannot read and that may contain
/// membership entries. Blocks that the senior had seen are not held back.
package struct HoldBack {
  /// An unreadable block of an author with authority that may contain entries.
  struct Wall {
    let author: UUID
    /// The heads named by the block and the earlier blocks of its branch, by instance.
    let named: [UUID: [BlockRef]]
  }

  /// The membership according to all readable entries.
  let membership: Membership
  let walls: [Wall]
  let isWithin: Membership.IsWithin

  /// Whether any block of the instance may be held back.
  package func mayHold(_ instance: UUID) -> Bool {
    walls.contains { $0.author != instance && membership.isSenior($0.author, to: instance) }
  }

  /// Whether a block is held back: a wall of a senior neither names the block nor a later block of its branch.
  package func holds(_ block: BlockRef) -> Bool {
    walls.contains { wall in
      guard wall.author != block.instance, membership.isSenior(wall.author, to: block.instance) else { return false }
      return !(wall.named[block.instance] ?? []).contains { isWithin(block, $0) }
    }
  }
}

/// Holds back blocks whose validity may depend on a senior's unreadable block, which could contain membership entries.
/// Blocks that the senior had already seen are not held back.
package struct HoldBack {
  /// An unreadable block that was written with authority and may contain membership entries.
  struct UnreadableBlock {
    let author: UUID
    /// The heads named in the block and in the earlier blocks of its branch, grouped by instance.
    let named: [UUID: [BlockRef]]
  }

  let membership: Membership
  let walls: [UnreadableBlock]
  let isWithin: Membership.IsWithin

  package func mayHold(_ instance: UUID) -> Bool {
    walls.contains { $0.author != instance && membership.isSenior($0.author, to: instance) }
  }

  package func isHeldBack(_ block: BlockRef) -> Bool {
    walls.contains { wall in
      guard wall.author != block.instance, membership.isSenior(wall.author, to: block.instance) else { return false }
      return !(wall.named[block.instance] ?? []).contains { isWithin(block, $0) }
    }
  }
}

/// What may decide about members and cannot be read here holds back those whom its author is senior to, as far as the author had
/// not seen them.
package struct HoldBack {
  /// A block that is not readable here and may have entries, and is by somebody with authority.
  struct Wall {
    let author: UUID
    /// By instance the heads that it names, and those before it in its branch.
    let named: [UUID: [BlockRef]]
  }

  /// As all entries have it.
  let membership: Membership
  let walls: [Wall]
  let isWithin: Membership.IsWithin

  /// Whether anything of an instance may be held back.
  package func mayHold(_ instance: UUID) -> Bool {
    walls.contains { $0.author != instance && membership.isSenior($0.author, to: instance) }
  }

  /// Whether a block is held back: for each block that holds back it is one that was named, or stands before one.
  package func holds(_ block: BlockRef) -> Bool {
    walls.contains { wall in
      guard wall.author != block.instance, membership.isSenior(wall.author, to: block.instance) else { return false }
      return !(wall.named[block.instance] ?? []).contains { isWithin(block, $0) }
    }
  }
}

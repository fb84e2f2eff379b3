/// What may decide about members and cannot be read here holds back those whom its author is senior to, as far as the author had
/// not seen them.
///
/// Standing is worked out twice: with all entries, which says whose blocks hold back; then without the entries in what is
/// held back.
package struct HoldBack {
  /// A block that is not readable here and may have entries.
  package struct Future: Sendable {
    package let block: BlockRef
    /// The heads that it names, and those before it in its branch, as far as they can be read.
    package let named: [BlockRef]

    package init(_ block: BlockRef, named: [BlockRef]) {
      self.block = block
      self.named = named
    }
  }

  private struct Wall {
    let author: UUID
    let named: [UUID: [BlockRef]]
  }

  private let membership: Membership
  private let walls: [Wall]
  private let isWithin: Membership.IsWithin

  /// - Parameter membership: as all entries have it.
  package init(_ membership: Membership, _ futures: some Sequence<Future>, isWithin: @escaping Membership.IsWithin) {
    self.membership = membership
    self.isWithin = isWithin
    walls = futures.compactMap { future in
      guard membership.hasAuthority(future.block, isWithin) else { return nil }
      return Wall(author: future.block.instance, named: Dictionary(grouping: future.named, by: \.instance))
    }
  }

  /// Whether nothing is held back, whatever block it is.
  package var isEmpty: Bool { walls.isEmpty }

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

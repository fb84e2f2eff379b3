/// Which removed blocks are sound: those that an order names which counts. Anybody can make a removed block, so every other one is damage.
///
/// A removed block hides nothing that stands behind it, so who may give orders never depends on it: each order is judged once.
package enum SoundRemovals {
  /// Whether an order that stands in a block counts for the blocks of an instance.
  package typealias MayOrder = (_ author: BlockRef, _ subject: UUID) -> Bool

  /// Of each block that an order names which counts the place of that order in the list: of several that in the block with the least hash.
  package static func find(_ orders: [(author: BlockRef, block: BlockKey)], _ mayOrder: MayOrder) -> [BlockKey: Int] {
    var found: [BlockKey: Int] = [:]
    for (place, one) in orders.enumerated() {
      if let known = found[one.block], orders[known].author.digest <= one.author.digest { continue }
      if mayOrder(one.author, one.block.instance) { found[one.block] = place }
    }
    return found
  }
}

extension Membership {
  /// Whether a block may order that a block of an instance be purged: its author's own, that of somebody in whose place the author
  /// goes on, or as a senior with authority.
  package func mayOrder(_ block: BlockRef, about subject: UUID, _ isWithin: IsWithin) -> Bool {
    guard isHeard(block, isWithin) else { return false }
    if successors.speaks(block.instance, for: subject) { return true }
    return hasAuthority(block, isWithin) && isSenior(block.instance, to: subject)
  }
}

/// Finds the valid removed blocks: those with a valid purge order. Any other removed block is damage, because anyone
/// can make one.
///
/// A removed block hides no later block, so the right to order a purge never depends on it, and each order is judged
/// once.
package enum SoundRemovals {
  /// Whether an order in a block is valid for blocks of an instance.
  package typealias MayOrder = (_ author: BlockRef, _ subject: UUID) -> Bool

  /// Returns each block with a valid order, and the index of that order in the list. Of several orders, the one in the
  /// block with the smallest hash is used.
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
  /// Whether a block may order the purge of a block of an instance. The author must be that instance, a successor of
  /// it, or a senior with authority.
  package func mayOrder(_ block: BlockRef, about subject: UUID, _ isWithin: IsWithin) -> Bool {
    guard isHeard(block, isWithin) else { return false }
    if successors.speaks(block.instance, for: subject) { return true }
    return hasAuthority(block, isWithin) && isSenior(block.instance, to: subject)
  }
}

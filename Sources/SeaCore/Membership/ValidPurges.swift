/// Finds the valid removed blocks, which are those with a valid purge order. Anyone can create a removed block, so a
/// removed block without such an order counts as damage.
///
/// Purging never hides later blocks, so the right to order a purge does not depend on other purges.
package enum ValidPurges {
  package typealias MayOrder = (_ author: BlockRef, _ subject: UUID) -> Bool

  /// Returns each block that has a valid order, and the index of that order in the list. If there are several orders,
  /// the one in the block with the smallest hash is used.
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
  /// Whether a block is allowed to order the purge of an instance's blocks. Its author must be that instance, one of
  /// its successors, or a senior with authority.
  package func mayOrder(_ block: BlockRef, about subject: UUID, _ isWithin: IsWithin) -> Bool {
    guard isHeard(block, isWithin) else { return false }
    if successors.isSameOrSuccessor(block.instance, for: subject) { return true }
    return hasAuthority(block, isWithin) && isSenior(block.instance, to: subject)
  }
}

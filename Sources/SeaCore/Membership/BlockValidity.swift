/// Provides facts about membership, which come from a store or from verified blocks in memory.
package protocol MembershipFacts {
  associatedtype Failure: Error
  var proof: DatabaseProof? { get }
  func births() throws(Failure) -> [Membership.FirstBlock]
  /// Returns the membership entries with the proven times of their blocks, leaving out blocks that have a wrong clock.
  func entries() throws(Failure) -> [Membership.Entry]
  /// Returns the blocks that may contain entries from a newer version.
  func unreadableControlBlocks() throws(Failure) -> [BlockRef]
  /// Returns the readable heads in a block and in the earlier blocks of its branch, oldest first.
  func heads(upTo block: BlockRef) throws(Failure) -> [BlockRef]
  /// Whether `block` is part of the branch that ends with `last`.
  func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool
}

/// Decides which blocks count, which are held back, and which are allowed to order a purge, based only on a
/// `MembershipFacts`.
///
/// The first evaluation uses all entries and finds the blocks that hold others back. The second evaluation omits the
/// entries in the held-back blocks.
package struct BlockValidity {
  package let all: Membership?
  /// The membership, computed without the entries in held-back blocks; nil in a database without members.
  package let membership: Membership?
  /// The blocks that hold others back; nil if no block is held back.
  package let holdBack: HoldBack?
  package let isWithin: Membership.IsWithin
  private let successors: Successors

  package init<T: MembershipFacts>(_ testimony: T) throws(T.Failure) {
    let isWithin: Membership.IsWithin = { testimony.isWithin($0, $1) }
    self.isWithin = isWithin
    let births = try testimony.births()
    guard let proof = testimony.proof, proof.hasMembers else {
      (all, membership, holdBack, successors) = (nil, nil, nil, Successors(births))
      return
    }
    let entries = try testimony.entries()
    let all = Membership(proof, births: births, entries: entries, isWithin: isWithin)
    (self.all, successors) = (all, all.successors)
    // The first such block in a branch is the strictest.
    var first: [BranchID: BlockRef] = [:]
    for block in try testimony.unreadableControlBlocks()
    where block.index < first[block.branch]?.index ?? .max && all.hasAuthority(block, isWithin) {
      first[block.branch] = block
    }
    if first.isEmpty {
      (membership, holdBack) = (all, nil)
      return
    }
    var walls: [HoldBack.UnreadableBlock] = []
    for block in first.values {
      // Keep only the last head of each branch, and group the heads by instance.
      var named: [UUID: [BlockRef]] = [:]
      for head in try testimony.heads(upTo: block) {
        named[head.instance, default: []].removeAll { isWithin($0, head) }
        named[head.instance, default: []].append(head)
      }
      walls.append(HoldBack.UnreadableBlock(author: block.instance, named: named))
    }
    let back = HoldBack(membership: all, walls: walls, isWithin: isWithin)
    self.holdBack = back
    membership = Membership(
      proof, births: births, entries: entries.filter { !back.isHeldBack($0.block) }, isWithin: isWithin)
  }

  package func counts(_ block: BlockRef) -> Bool {
    membership?.counts(block, isWithin) != false && holdBack?.isHeldBack(block) != true
  }

  /// Whether a block has the authority of an admin; nil in a database without members.
  package func hasAuthority(_ block: BlockRef) -> Bool? {
    membership.map { $0.hasAuthority(block, isWithin) && holdBack?.isHeldBack(block) != true }
  }

  package func mayOrder(_ block: BlockRef, about subject: UUID) -> Bool {
    guard holdBack?.isHeldBack(block) != true else { return false }
    return membership?.mayOrder(block, about: subject, isWithin)
      ?? successors.isSameOrSuccessor(block.instance, for: subject)
  }

  /// Returns each block that has a valid purge order, and the index of that order in the list.
  package func orders(_ orders: [(author: BlockRef, block: BlockKey)]) -> [BlockKey: Int] {
    var known: [BlockKey: [UUID: Bool]] = [:]
    return ValidPurges.find(orders) { author, subject in
      let key = BlockKey(author)
      let answer = known[key]?[subject] ?? mayOrder(author, about: subject)
      known[key, default: [:]][subject] = answer
      return answer
    }
  }
}

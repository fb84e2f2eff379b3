/// What blocks testify about who counts. Two have it: the store, and blocks in memory that were verified.
package protocol Testimony {
  associatedtype Failure: Error
  var proof: DatabaseProof? { get }
  func births() throws(Failure) -> [Membership.Birth]
  /// The entries about members, each with the proven time of its block; none of a block whose clock is wrong.
  func entries() throws(Failure) -> [Membership.Entry]
  /// The blocks, in their branches, that may have entries which only a newer program can read.
  func futures() throws(Failure) -> [BlockRef]
  /// The heads that a block names, and those before it in its branch, the first ones first, as far as they can be read.
  func heads(upTo block: BlockRef) throws(Failure) -> [BlockRef]
  /// Whether a block is on the branch that ends in another one.
  func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool
}

/// Who counts, what is held back, and who may order what: what follows from the testimony of blocks.
///
/// Standing is worked out from all entries, which says whose blocks hold back; then without the entries in what is held back.
package struct Judge {
  /// As all entries have it; nil in a database without members.
  package let all: Membership?
  /// The same without the entries in what is held back.
  package let membership: Membership?
  /// Nil if nothing holds back.
  package let back: HoldBack?
  package let isWithin: Membership.IsWithin
  private let successors: Successors

  package init<T: Testimony>(_ testimony: T) throws(T.Failure) {
    let isWithin: Membership.IsWithin = { testimony.isWithin($0, $1) }
    self.isWithin = isWithin
    let births = try testimony.births()
    guard let proof = testimony.proof, proof.hasMembers else {
      (all, membership, back, successors) = (nil, nil, nil, Successors(births))
      return
    }
    let entries = try testimony.entries()
    let all = Membership(proof, births: births, entries: entries, isWithin: isWithin)
    (self.all, successors) = (all, all.successors)
    // Of each branch the first is the strictest.
    var first: [BranchID: BlockRef] = [:]
    for block in try testimony.futures()
    where block.index < first[block.branch]?.index ?? .max && all.hasAuthority(block, isWithin) {
      first[block.branch] = block
    }
    if first.isEmpty {
      (membership, back) = (all, nil)
      return
    }
    var walls: [HoldBack.Wall] = []
    for block in first.values {
      // Of each chain the last head of each of its branches.
      var named: [UUID: [BlockRef]] = [:]
      for head in try testimony.heads(upTo: block) {
        named[head.instance, default: []].removeAll { isWithin($0, head) }
        named[head.instance, default: []].append(head)
      }
      walls.append(HoldBack.Wall(author: block.instance, named: named))
    }
    let back = HoldBack(membership: all, walls: walls, isWithin: isWithin)
    self.back = back
    membership = Membership(
      proof, births: births, entries: entries.filter { !back.holds($0.block) }, isWithin: isWithin)
  }

  /// Whether what a block says is applied, as far as it can be.
  package func counts(_ block: BlockRef) -> Bool {
    membership?.counts(block, isWithin) != false && back?.holds(block) != true
  }

  /// Whether what a block says counts as said by an admin; nil in a database without members.
  package func hasAuthority(_ block: BlockRef) -> Bool? {
    membership.map { $0.hasAuthority(block, isWithin) && back?.holds(block) != true }
  }

  /// Whether a block may order that a block of an instance be purged.
  package func mayOrder(_ block: BlockRef, about subject: UUID) -> Bool {
    guard back?.holds(block) != true else { return false }
    return membership?.mayOrder(block, about: subject, isWithin) ?? successors.speaks(block.instance, for: subject)
  }

  /// Of each block that an order names which counts the place of that order in the list. Each author is asked once about an instance.
  package func orders(_ orders: [(author: BlockRef, block: BlockKey)]) -> [BlockKey: Int] {
    var known: [BlockKey: [UUID: Bool]] = [:]
    return SoundRemovals.find(orders) { author, subject in
      let key = BlockKey(author)
      let answer = known[key]?[subject] ?? mayOrder(author, about: subject)
      known[key, default: [:]][subject] = answer
      return answer
    }
  }
}

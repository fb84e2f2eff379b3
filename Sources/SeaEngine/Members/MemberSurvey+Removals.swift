import SeaCore

// Which removed blocks are sound.

extension MemberSurvey {
  /// Whether there is a removed block.
  var hasRemoved: Bool { !removed.isEmpty }
  /// The removed blocks that are sound.
  func soundBlocks() -> Set<SoundRemovals.Key> { soundRemovals().sound }

  /// What nobody here can judge: orders that were not read name it.
  func unknownBlocks() -> Set<SoundRemovals.Key> { Set(pending.values.joined().map { SoundRemovals.Key($0) }) }

  func soundRemovals() -> SoundRemovals {
    var blocks: [SoundRemovals.Block] = []
    let instances = Set(removed.keys.map(\.instance)).union(orders.map(\.author.instance))
    let byAuthor = Dictionary(grouping: orders) { SoundRemovals.Key($0.author) }
    for chain in clocks.chains where !removed.isEmpty && instances.contains(chain.instance) {
      guard let own = clocks.branch(chain) else { continue }
      var previous = clocks.previous(of: chain)
      for (index, digest) in zip(own.first..., own.digests) {
        let ref = BlockRef(instance: chain.instance, index: UInt32(index), digest: digest)
        let hole = removed[SoundRemovals.Key(ref)]?.0
        blocks.append(
          SoundRemovals.Block(
            ref, previous: previous, lamport: hole?.lamport ?? 0, isRemoved: hole != nil,
            orders: (byAuthor[SoundRemovals.Key(ref)] ?? []).map(\.order)))
        previous = digest
      }
    }
    let successors = hasMembers ? Successors([]) : Successors(births)
    return SoundRemovals(blocks) { removals in
      var grounds = grounds(removals)
      grounds.successors = successors
      return SoundRemovals.Judge(
        mayOrder: { [unowned self] in mayOrder($0, $1, grounds, grounds.backOfOrders, isWithin) },
        stands: { [unowned self] in mayOrder($0, $1, grounds, grounds.back, grounds.isWithin) })
    }
  }

  private func mayOrder(
    _ author: BlockRef, _ subject: UUID, _ grounds: Grounds, _ back: HoldBack?, _ isWithin: Membership.IsWithin
  ) -> Bool {
    let isWrong = clocks.find(author).map { grounds.clocks.isWrong(at: $0) } == true
    if isWrong || back?.holds(author) == true { return false }
    return grounds.membership?.mayOrder(author, about: subject, isWithin)
      ?? grounds.successors.speaks(author.instance, for: subject)
  }

  /// What was removed without an order, in what may not be all.
  func removals(
    _ place: String, isWhole: Bool, known: (BlockRef) -> Bool, unknown: inout Int
  ) -> [Problem] {
    let sound = isWhole ? soundBlocks() : []
    let named = unknownBlocks()
    var problems: [Problem] = []
    for (key, (header, chain)) in removed.sorted(by: { ($0.value.1, $0.key.index) < ($1.value.1, $1.key.index) }) {
      let ref = BlockRef(instance: key.instance, index: key.index, digest: key.digest)
      if sound.contains(key) || known(ref) { continue }
      if !isWhole || named.contains(key) {
        unknown += 1
      } else {
        problems.append(Problem(.badRemoval, place: place, branch: chain, index: header.index))
      }
    }
    return problems
  }
}

import SeaContainer
import SeaCore
import SeaStore

/// Whose blocks count, and which removed blocks are sound, worked out from nothing but the blocks that were verified and read.
final class MemberSurvey {
  private let proof: DatabaseProof?
  private var births: [Membership.Birth] = []
  private var entries: [Membership.Entry] = []
  private var removed: [SoundRemovals.Key: (BlockHeader, BranchID)] = [:]
  private var orders: [(author: BlockRef, order: SoundRemovals.Order)] = []
  /// Blocks with orders that were not read, and what these name, as anybody sees.
  private var pending: [SoundRemovals.Key: [BlockRef]] = [:]
  private var clocks = ClockSurvey()

  init(_ proof: DatabaseProof?) { self.proof = proof }

  func add(_ payload: Payload, of head: BlockRef, _ lamport: UInt32, to chain: BranchID) {
    pending[SoundRemovals.Key(head)] = nil
    clocks.add(payload.heads, to: chain)
    for (item, entry) in payload.controls.enumerated() {
      if let one = Membership.Birth(entry, block: head) { births.append(one) }
      if case .purge(let order) = entry { orders.append((head, SoundRemovals.Order(order))) }
      if let one = Membership.Entry(entry, block: head, lamport: lamport, item: UInt32(item)) { entries.append(one) }
    }
  }

  func add(_ bytes: UnsafeRawBufferPointer, _ header: BlockHeader, _ head: BlockRef, to chain: BranchID) {
    clocks.add(header, head.digest, to: chain)
    if header.mode.contains(.removed) { removed[SoundRemovals.Key(head)] = (header, chain) }
    if header.mode.contains(.orders) { pending[SoundRemovals.Key(head)] = (try? ClearList.blocks(of: bytes)) ?? [] }
  }

  /// Forgets the blocks of a branch from an index on: they do not verify.
  func removeAll(of chain: BranchID, from index: UInt32) {
    let gone = Set(clocks.digests(of: chain).dropFirst(Int(index)))
    guard !gone.isEmpty else { return }
    func isGone(_ instance: UUID, _ digest: Digest) -> Bool { instance == chain.instance && gone.contains(digest) }
    births.removeAll { isGone($0.instance, $0.digest) }
    entries.removeAll { isGone($0.block.instance, $0.block.digest) }
    orders.removeAll { isGone($0.author.instance, $0.author.digest) }
    pending = pending.filter { !isGone($0.key.instance, $0.key.digest) }
    removed = removed.filter { !isGone($0.key.instance, $0.key.digest) }
    clocks.removeAll(of: chain, from: index)
  }

  private func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
    guard block.index <= last.index else { return false }
    return clocks.branches(of: block.instance).contains { chain in
      let digests = clocks.digests(of: chain)
      return digests.count > last.index && digests[Int(last.index)] == last.digest
        && digests[Int(block.index)] == block.digest
    }
  }

  /// Nil where there are no members.
  private func membership(_ counts: @escaping (BlockRef) -> Bool) -> Membership? {
    guard let proof, proof.hasMembers else { return nil }
    return Membership(
      proof, births: births, entries: entries.filter { counts($0.block) }, isWithin: isWithin(behind: counts))
  }

  /// A point behind a removed block that nothing allows is not known.
  private func isWithin(behind counts: @escaping (BlockRef) -> Bool) -> Membership.IsWithin {
    { [unowned self] block, last in counts(last) && isWithin(block, last) }
  }

  /// Whether there is a removed block.
  var hasRemoved: Bool { !removed.isEmpty }

  /// The removed blocks that are sound.
  func soundBlocks() -> Set<SoundRemovals.Key> { soundRemovals().sound }

  /// What nobody here can judge: orders that were not read name it.
  func unknownBlocks() -> Set<SoundRemovals.Key> { Set(pending.values.joined().map { SoundRemovals.Key($0) }) }

  private func soundRemovals() -> SoundRemovals {
    var blocks: [SoundRemovals.Block] = []
    let instances = Set(removed.keys.map(\.instance)).union(orders.map(\.author.instance))
    let byAuthor = Dictionary(grouping: orders) { SoundRemovals.Key($0.author) }
    for chain in clocks.chains where !removed.isEmpty && instances.contains(chain.instance) {
      let digests = clocks.digests(of: chain)
      for (index, digest) in digests.enumerated() {
        let ref = BlockRef(instance: chain.instance, index: UInt32(index), digest: digest)
        let hole = removed[SoundRemovals.Key(ref)]?.0
        blocks.append(
          SoundRemovals.Block(
            ref, previous: index > 0 ? digests[index - 1] : .zero, lamport: hole?.lamport ?? 0, isRemoved: hole != nil,
            orders: (byAuthor[SoundRemovals.Key(ref)] ?? []).map(\.order)))
      }
    }
    return SoundRemovals(blocks) { counts in
      guard let membership = membership(counts) else { return { $0.instance == $1 } }
      return { membership.mayOrder($0, about: $1, self.isWithin) }
    }
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

  /// What is kept and counts nowhere, and what was removed without an order, told once for each branch and removed block.
  /// - Parameters:
  ///   - isWhole: whether everything was read that may say who is entitled to what.
  ///   - only: no other instance's removed blocks.
  ///   - unknown: gets how many removed blocks nobody here can judge.
  func problems(_ place: String, isWhole: Bool, only: UUID? = nil, unknown: inout Int) -> [Problem] {
    let removals = soundRemovals()
    let named = unknownBlocks()
    var problems: [Problem] = []
    for key in removals.unsound {
      guard let (header, chain) = removed[key], only == nil || chain.instance == only else { continue }
      if named.contains(key) {
        unknown += 1
      } else {
        problems.append(Problem(.badRemoval, place: place, branch: chain, index: header.index))
      }
    }
    guard isWhole else { return problems }
    problems += clocks.wrong().map { Problem(.badLamport, place: place, branch: $0.branch, index: $0.index) }
    guard let membership = membership({ removals.counts($0) }) else { return problems }
    for chain in clocks.chains.sorted() {
      let trunk = chain.isTrunk ? [] : clocks.digests(of: chain.trunk)
      let held = clocks.digests(of: chain).enumerated().filter { index, digest in
        guard !(index < trunk.count && trunk[index] == digest) else { return false }
        let head = BlockRef(instance: chain.instance, index: UInt32(index), digest: digest)
        return removals.counts(head) && !membership.counts(head, isWithin(behind: removals.counts))
      }
      guard let first = held.first else { continue }
      problems.append(
        Problem(
          .unauthorised, place: place, branch: chain, index: UInt32(first.offset),
          detail: String(held.count)))
    }
    return problems
  }
}

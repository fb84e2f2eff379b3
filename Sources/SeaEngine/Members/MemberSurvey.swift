import SeaContainer
import SeaCore
import SeaStore

/// Determines which blocks and which purges are valid, using only blocks that have been verified and read.
final class MemberSurvey {
  private let proof: DatabaseProof?
  private(set) var births: [Membership.FirstBlock] = []
  private var entries: [Membership.Entry] = []
  private(set) var removed: [BlockKey: (BlockHeader, BranchID)] = [:]
  private(set) var orders: [(author: BlockRef, block: BlockKey)] = []
  /// The unreadable blocks that list each block in clear text as purged.
  private(set) var pending: [BlockKey: [BlockRef]] = [:]
  private var futures: [BlockRef] = []
  private var applied: Set<Digest> = []
  private(set) var clocks = ClockSurvey()
  private var depths: DepthSurvey?
  var keys = KeySurvey()

  init(_ proof: DatabaseProof?, looksAtDepths: Bool = false) {
    self.proof = proof
    if looksAtDepths { depths = DepthSurvey() }
  }

  private var hasMembers: Bool { proof?.hasMembers == true }

  func add(
    _ content: BlockContent, _ header: BlockHeader, of head: BlockRef, to chain: BranchID,
    _ bytes: UnsafeRawBufferPointer
  ) {
    guard let payload = content.payload else {
      guard case .notReadable? = content.fault else { return }
      if header.mode.contains(.control) { futures.append(BlockRef(chain, index: head.index, digest: head.digest)) }
      return
    }
    pending[BlockKey(head)] = nil
    keys.addOpened(chain, head.index, content.key)
    if hasMembers, !content.isHidden { applied.insert(head.digest) }
    if !content.isHidden, !payload.changes.isEmpty, let number = clocks.number(of: chain) {
      content.withClear(bytes) { depths?.add(payload.changes, of: $0, branch: number, index: head.index) }
    }
    for (item, entry) in payload.controls.enumerated() {
      if let one = Membership.FirstBlock(entry, block: head) { births.append(one) }
      keys.add(entry, in: head)
      if case .purge(let order) = entry {
        orders.append((head, BlockKey(order.block)))
        depths?.add(order)
      }
      entries += [Membership.Entry(entry, block: head, lamport: header.lamport, item: UInt32(item))].compactMap { $0 }
    }
  }

  func add(
    _ bytes: UnsafeRawBufferPointer, _ header: BlockHeader, _ head: BlockRef, to chain: BranchID, isAnonymous: Bool
  ) {
    clocks.add(bytes, header, head.digest, to: chain, isAnonymous: isAnonymous)
    // Record a block shared with the main branch only for the main branch, which comes first.
    if header.mode.contains(.removed), removed[BlockKey(head)] == nil {
      removed[BlockKey(head)] = (header, chain)
    }
    if header.mode.contains(.orders) { pending[BlockKey(head)] = (try? ClearList.blocks(of: bytes)) ?? [] }
  }

  /// Removes the blocks of a branch starting at an index, because they are invalid.
  func removeAll(of chain: BranchID, from index: UInt32) {
    guard let own = clocks.branch(chain) else { return }
    let gone = Set(own.digests.dropFirst(max(0, Int(index) - own.first)))
    guard !gone.isEmpty else { return }
    func isGone(_ instance: UUID, _ digest: Digest) -> Bool { instance == chain.instance && gone.contains(digest) }
    births.removeAll { isGone($0.instance, $0.digest) }
    entries.removeAll { isGone($0.block.instance, $0.block.digest) }
    orders.removeAll { isGone($0.author.instance, $0.author.digest) }
    futures.removeAll { isGone($0.instance, $0.digest) }
    pending = pending.filter { !isGone($0.key.instance, $0.key.digest) }
    keys.removeAll(of: chain, from: index, isGone)
    removed = removed.filter { !isGone($0.key.instance, $0.key.digest) }
    clocks.removeAll(of: chain, from: index)
  }

  // MARK: - Branch points

  func begin(_ chain: BranchID, behind block: BlockRef) { clocks.begin(chain, behind: block) }

  func lamport(of block: BlockRef) -> UInt32? { clocks.locate(block)?.lamport }

  func branch(of block: BlockRef) -> BranchID? { clocks.locate(block).map { clocks.branches[$0.branch].name } }

  private struct Said: MembershipFacts {
    let survey: MemberSurvey
    let clocks: SurveyedClocks
    var proof: DatabaseProof? { survey.proof }

    func births() -> [Membership.FirstBlock] { survey.births }
    func entries() -> [Membership.Entry] { clocks.timed(survey.entries) }
    func unreadableControlBlocks() -> [BlockRef] { survey.futures }
    func heads(upTo block: BlockRef) -> [BlockRef] { survey.clocks.heads(upTo: block) }
    func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool { survey.clocks.isWithin(block, last) }
  }

  struct Grounds {
    let clocks: SurveyedClocks
    let judge: BlockValidity

    func counts(_ block: BlockRef) -> Bool { judge.counts(block) && !clocks.isWrong(block) }
  }

  func grounds() -> Grounds {
    let clocks = SurveyedClocks(clocks)
    return Grounds(clocks: clocks, judge: BlockValidity(Said(survey: self, clocks: clocks)))
  }

  /// Returns problems for stored blocks that are not valid, and for blocks purged without a valid purge order. Each
  /// branch and each purged block is reported once.
  /// - Parameters:
  ///   - isWhole: whether all blocks with entries about members have been read.
  ///   - only: restricts purged blocks to this instance.
  ///   - unknown: receives the number of purged blocks that cannot be judged.
  func problems(
    _ place: String, isWhole: Bool, only: UUID? = nil, unknown: inout Int,
    read: (BranchID, UInt32) throws -> DepthSurvey.Block?
  ) rethrows -> [Problem] {
    let grounds = grounds()
    let sound = sound(grounds)
    let named = unknownBlocks()
    var problems: [Problem] = []
    for (key, (header, chain)) in unsound(sound) where only == nil || chain.instance == only {
      if named.contains(key) {
        unknown += 1
      } else {
        problems.append(Problem(.badRemoval, place: place, branch: chain, index: header.index))
      }
    }
    guard isWhole else { return problems }
    problems += grounds.clocks.wrongBlocks.map {
      Problem(.badLamport, place: place, branch: $0.branch, index: $0.index)
    }
    problems += try badDepths(sound, grounds, read).map { Problem(.badDepth, place: place, detail: $0) }
    guard grounds.judge.membership != nil else { return problems }
    for chain in clocks.chains.sorted() {
      guard let own = clocks.branch(chain) else { continue }
      let trunk = chain.isMainBranch ? nil : clocks.branch(chain.mainBranch)
      let held = zip(own.first..., own.digests).filter { index, digest in
        guard trunk?.has(index, digest) != true else { return false }
        let head = BlockRef(instance: chain.instance, index: UInt32(index), digest: digest)
        // If a block cannot be applied for another reason, report that reason instead.
        guard applied.contains(digest) || sound.contains(BlockKey(head)) else { return false }
        return !grounds.clocks.isWrong(head) && !grounds.counts(head)
      }
      guard let first = held.first else { continue }
      problems.append(
        Problem(
          .unauthorized, place: place, branch: chain, index: UInt32(first.0),
          detail: String(held.count)))
    }
    return problems
  }

  private func badDepths(
    _ sound: Set<BlockKey>, _ grounds: Grounds, _ read: (BranchID, UInt32) throws -> DepthSurvey.Block?
  ) rethrows -> [String] {
    try depths?.wrong(
      counts: { place in
        switch place {
        case .order(let block, _): sound.contains(block)
        case .block(let branch, let index): clocks.block(branch, index).map(grounds.counts) ?? false
        }
      },
      read: { try read(clocks.branches[$0].name, $1) }) ?? []
  }
}

extension MemberSurvey {
  var hasRemoved: Bool { !removed.isEmpty }
  func soundBlocks() -> Set<BlockKey> { hasRemoved ? sound(grounds()) : [] }

  /// Returns the blocks named in unreadable purge orders, so that it is unknown whether their purge is valid.
  func unknownBlocks() -> Set<BlockKey> { Set(pending.values.joined().map { BlockKey($0) }) }

  private func sound(_ grounds: Grounds) -> Set<BlockKey> {
    Set(grounds.judge.orders(orders.filter { removed[$0.block] != nil && !grounds.clocks.isWrong($0.author) }).keys)
  }

  private func unsound(_ sound: Set<BlockKey>) -> [(key: BlockKey, value: (BlockHeader, BranchID))] {
    removed.filter { !sound.contains($0.key) }.sorted { ($0.value.1, $0.key.index) < ($1.value.1, $1.key.index) }
  }

  /// Returns problems for blocks purged without a valid purge order, even if not all blocks have been surveyed.
  func removals(
    _ place: String, isWhole: Bool, known: (BlockRef) -> Bool, unknown: inout Int
  ) -> [Problem] {
    let named = unknownBlocks()
    var problems: [Problem] = []
    for (key, (header, chain)) in unsound(isWhole ? soundBlocks() : []) {
      if known(BlockRef(instance: key.instance, index: key.index, digest: key.digest)) { continue }
      if !isWhole || named.contains(key) {
        unknown += 1
      } else {
        problems.append(Problem(.badRemoval, place: place, branch: chain, index: header.index))
      }
    }
    return problems
  }
}

struct KeySurvey {
  private(set) var entries: [(block: BlockRef, change: EpochChange)] = []
  private(set) var opened: [BranchID: [(key: EpochKey, index: UInt32)]] = [:]
  private(set) var announced: Set<UUID> = []

  mutating func add(_ entry: ControlEntry, in block: BlockRef) {
    switch entry {
    case .instance: announced.insert(block.instance)
    case .epoch(let change): entries.append((block, change))
    default: break
    }
  }

  mutating func addOpened(_ branch: BranchID, _ index: UInt32, _ key: EpochKey?) {
    guard let key, opened[branch]?.contains(where: { $0.key == key }) != true else { return }
    opened[branch, default: []].append((key, index))
  }

  mutating func removeAll(of branch: BranchID, from index: UInt32, _ isGone: (UUID, Digest) -> Bool) {
    entries.removeAll { isGone($0.block.instance, $0.block.digest) }
    opened[branch]?.removeAll { $0.index >= index }
  }
}

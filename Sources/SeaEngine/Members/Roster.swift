import SeaCore
import SeaStore

/// The members of the database and the validity of their chains, to the knowledge of this instance.
///
/// In a database without members, every instance that has the key belongs to it, and all blocks are valid. In a
/// database with members, only blocks of the creator and of authorized instances are valid, up to their revocation
/// point. Other blocks are held. This class only evaluates control entries; `Access` authorizes and revokes instances.
package final class Roster {
  let folder: SeaFolder
  private var assumed: [Membership.Entry] = []
  var store: Store { folder.store }

  package init(_ folder: SeaFolder) { self.folder = folder }

  /// Runs `body` as if the next block of `author` (by default, this instance) contained these entries. This shows, for
  /// example, whether revoking another instance would restore this instance's rights.
  func assuming<R>(_ entries: [ControlEntry], by author: UUID? = nil, _ body: () throws -> R) throws -> R {
    let author = author ?? folder.instance
    let last = try store.branches.chain(author)?.head.index
    let block = BlockRef(instance: author, index: last.map { $0 + 1 } ?? 0, digest: .zero)
    assumed = entries.enumerated().compactMap { Membership.Entry($1, block: block, lamport: .max, item: UInt32($0)) }
    defer { assumed = [] }
    return try body()
  }

  /// Returns the members; nil in a database without members. Ignores blocks that are held back.
  package func membership() throws -> Membership? { folder.hasMembers ? try judge().membership : nil }

  func judge() throws -> BlockValidity { try BlockValidity(Kept(roster: self)) }

  private struct Kept: MembershipFacts {
    let roster: Roster
    private var store: Store { roster.store }
    var proof: DatabaseProof? { roster.folder.proof }

    func births() throws -> [Membership.FirstBlock] { try store.control.chainCreations() }

    func entries() throws -> [Membership.Entry] {
      let rows = try store.control.controls(["authorize", "revoke"], includesHeldBack: true)
      return roster.assumed
        + rows.compactMap { Membership.Entry($0.entry, block: $0.block, lamport: $0.time, item: UInt32($0.item)) }
    }

    func unreadableControlBlocks() throws -> [BlockRef] { try roster.futures().map(\.ref) }

    func heads(upTo block: BlockRef) throws -> [BlockRef] {
      guard let row = try store.blocks.block(block) else { return [] }
      var heads: [BlockRef] = []
      var index: UInt32 = 0
      while index <= row.index, let one = try store.branches.ancestor(of: row, at: index) {
        heads += try store.content.heads(of: one)
        index += 1
      }
      return heads
    }

    func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool { roster.isWithin(block, last) }
  }

  /// Whether the first block is the second block or one of its ancestors. False if the second block is not stored.
  package var isWithin: Membership.IsWithin {
    { [store] block, last in
      guard block.index <= last.index,
        let end = try? store.blocks.block(BlockRef(instance: block.instance, index: last.index, digest: last.digest))
      else { return false }
      return (try? store.branches.ancestor(of: end, at: block.index))?.digest == block.digest
    }
  }

  // MARK: - Validity

  /// Returns the valid part of a chain. This instance's chain counts as valid until a control entry says otherwise.
  package func cut(of instance: UUID, _ membership: Membership?) -> Membership.BlockSelection {
    guard let membership else { return .everything }
    guard let standing = membership[instance] else { return instance == folder.instance ? .everything : .nothing }
    return standing.cut
  }

  /// Whether new blocks may have to be held back because there are unreadable entries.
  package func holdsBack() throws -> Bool { try folder.hasMembers && !futures().isEmpty }

  /// Applies held blocks that are now valid, and removes applied blocks that are no longer valid from the local index.
  ///
  /// Clocks depend on blocks, members on clocks, and valid purges on members, so each of these is computed only once.
  package func applyValidBlocks() throws -> ApplyResult {
    let removed = try store.blocks.purgedBlocks()
    guard try folder.hasMembers || !removed.isEmpty || !store.blocks.blocks(.held).isEmpty else { return ApplyResult() }
    let judge = try judge()
    let isBack = try judge.holdBack != nil || !store.blocks.blocks(.heldBack).isEmpty
    guard isBack || !removed.isEmpty else { return try apply(judge, takenOut: false) }
    return try store.write {
      let areBack = try mark(judge.holdBack)
      let areDamage = try judgeRemovals(removed, judge, isForced: isBack)
      return try apply(judge, takenOut: areBack || areDamage)
    }
  }

  /// Updates which blocks are marked as held back.
  /// - Returns: whether any newly marked block had been applied.
  private func mark(_ back: HoldBack?) throws -> Bool {
    for state in [BlockState.held, .heldBack] {
      for row in try store.blocks.blocks(state) where (back?.isHeldBack(row.ref) == true) != (state == .heldBack) {
        try store.blocks.setState(state == .held ? .heldBack : .held, of: row)
      }
    }
    var takenOut = false
    guard let back else { return takenOut }
    for chain in try store.branches.chains() where back.mayHold(chain.instance) {
      for row in try store.blocks.appliedBlocks(of: chain.instance, after: -1) where back.isHeldBack(row.ref) {
        try store.blocks.setState(.heldBack, of: row)
        takenOut = true
      }
    }
    return takenOut
  }

  /// - Parameter takenOut: whether the local index still contains blocks that are no longer applied.
  private func apply(_ judge: BlockValidity, takenOut: Bool) throws -> ApplyResult {
    var applied = ApplyResult()
    var released: [BlockRow] = []
    var taken: [BlockRow] = []
    let held = Dictionary(grouping: try store.blocks.blocks(.held), by: \.instance)
    for chain in try store.branches.chains() {
      let cut = cut(of: chain.instance, judge.membership)
      func counts(_ row: BlockRow) -> Bool {
        cut.covers(BlockRef(instance: row.instance, index: row.index, digest: row.digest), judge.isWithin)
      }
      released += (held[chain.instance] ?? []).filter(counts)
      switch cut {
      case .everything: break
      case .nothing: taken += try store.blocks.appliedBlocks(of: chain.instance, after: -1)
      case .last(let last):
        // If the block of the revocation point is missing, no block of the chain is valid, not even an applied one.
        // Thus, instances with the same blocks get the same result.
        let end = try store.blocks.block(
          BlockRef(instance: chain.instance, index: last.index, digest: last.digest))
        let isAll = try end == nil || !store.branches.siblings(of: chain.instance).isEmpty
        taken += try store.blocks.appliedBlocks(of: chain.instance, after: isAll ? -1 : Int64(last.index))
          .filter { !counts($0) }
      }
    }
    guard !released.isEmpty || !taken.isEmpty || takenOut else { return applied }
    try store.write {
      if taken.isEmpty, !takenOut {
        for row in released { applied.add(try store.intake.release(row)) }
      } else {
        for row in taken { try store.blocks.setState(.held, of: row) }
        for row in released { try store.blocks.setState(row.counting, of: row) }
        applied.records = try store.projection.rebuildInTransaction()
      }
    }
    return applied
  }

  // MARK: - Unreadable blocks

  fileprivate func futures() throws -> [BlockRow] {
    try store.blocks.notReadable().filter { try store.content.header(of: $0).mode.contains(.control) }
  }
}

extension Roster {
  // MARK: - Names

  package func names() throws -> [UUID: String] {
    var names: [UUID: String] = [:]
    for chain in try store.branches.chains() { names[chain.instance] = chain.name }
    return names
  }

  package func instance(named text: String) throws -> UUID { try chain(named: text).instance }

  /// Returns the chain of the instance whose name is the text or whose ID begins with it. If several instances have the
  /// name, for example after a renewal, prefers this instance.
  func chain(named text: String) throws -> ChainRow {
    let chains = try store.branches.chains()
    let instance = try instanceNames(chains).instance(text, own: folder.instance)
    return chains.first { $0.instance == instance }!
  }

  func instanceNames(_ chains: [ChainRow]) throws -> InstanceNames {
    let membership = try membership()
    let followed = Set(membership?.known.compactMap(\.follows) ?? [])
    return InstanceNames(
      all: chains.map { chain in
        let standing = membership?[chain.instance]
        return InstanceNames.One(
          instance: chain.instance, name: chain.name, isMember: membership == nil || standing != nil,
          line: standing?.line, isFollowed: followed.contains(chain.instance))
      })
  }

  /// Returns the instances that keys are wrapped for: all that have the right to read, including this one.
  package func readers() throws -> [Reader] { try readers(membership()) }

  func readers(_ membership: Membership?) throws -> [Reader] {
    let names = try names()
    if let membership {
      return try membership.known.filter { $0.role != nil }.compactMap { standing in
        // The exchange key that an instance has announced takes precedence over the one in its authorization.
        guard let exchange = try store.branches.exchangeKey(of: standing.instance) ?? standing.exchange else {
          return nil
        }
        return Reader(instance: standing.instance, name: names[standing.instance] ?? "", exchange: exchange)
      }
    }
    var readers: [UUID: Reader] = [:]
    // Add authorized instances that have not written anything yet.
    for row in try store.control.controls(["authorize"]) where row.isApplied {
      guard case .authorize(let one) = row.entry else { continue }
      readers[one.instance] = Reader(instance: one.instance, name: "", exchange: one.exchange)
    }
    for chain in try store.branches.chains() {
      guard let exchange = try store.branches.exchangeKey(of: chain.instance) else { continue }
      readers[chain.instance] = Reader(instance: chain.instance, name: chain.name, exchange: exchange)
    }
    return readers.values.sorted { $0.instance < $1.instance }
  }
}

package struct Reader: Sendable, Equatable {
  package var instance: UUID
  /// The name; empty if this store has no chain of the instance.
  package var name: String
  /// An X25519 public key.
  package var exchange: [UInt8]
}

extension Roster {
  /// - Throws: `unauthorized` if changes by this instance can never become valid. An instance that is waiting for
  ///   authorization can already write.
  package func requireWriter() throws {
    guard let membership = try membership(), let standing = membership[folder.instance] else { return }
    switch standing.role {
    case .admin, .write: return
    case .read: throw KitError.unauthorized(.readOnly)
    case nil: throw KitError.unauthorized(.revoked)
    }
  }

  package func revoker() throws -> UUID? {
    guard let standing = try membership()?[folder.instance], standing.role == nil else { return nil }
    return standing.revoked?.author
  }

  /// - Throws: `unauthorized` unless this instance has the right to authorize and revoke others.
  package func requireAdmin() throws {
    guard let membership = try membership() else { return }
    guard membership.role(of: folder.instance) == .admin else { throw KitError.unauthorized(.notAdmin) }
  }
}

extension Roster {
  /// Checks undecided clocks again after new blocks have arrived. `applyValidBlocks` applies the consequences.
  func judgeClocks() throws -> JudgedClocks {
    let isStale = try store.metaInt(Store.clocksAreStale) == 1
    guard try isStale || store.branches.hasOpenClocks() else { return JudgedClocks() }
    return try store.write {
      guard isStale else { return try store.judgeClocks() }
      let (merged, earned) = (try store.metaInt(RecordTable.mergedUpTo), try store.branches.earnedClocks())
      let wrongBefore = Set(try store.branches.wrongClocks().map(\.branch))
      try store.forgetClocks()
      var judged = try store.judgeClocks()
      judged.wrong.removeAll { wrongBefore.contains($0.branch) }
      // The earned clocks have not changed, so all conflicts have the same results as before.
      if let merged, try store.branches.earnedClocks() == earned { try store.setMergedUpTo(merged) }
      return judged
    }
  }
}

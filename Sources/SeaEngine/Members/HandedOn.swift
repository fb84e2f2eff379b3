import SeaCore
import SeaStore

/// How much of the chains of others goes on from here.
///
/// What an author is not entitled to is handed on by that author alone: else whoever can write into one folder had everybody
/// carry it into all others. What a block that counts has named goes on all the same, with all that is before it: clocks, and by
/// them merges, follow from what is named, and must come out alike everywhere. So do the blocks that are heard of an
/// admin whom juniors have revoked, and the block by which an author has left: else some would count what they say, and others not.
package struct HandedOn: Sendable {
  /// The instances of which not everything goes on, and of their branches here the last index that does.
  private var limited: Set<UUID> = []
  private var last: [BranchID: UInt32] = [:]

  /// Nothing of an instance goes on but what leads to these blocks.
  fileprivate mutating func limit(_ instance: UUID, to ways: [BlockRun]) {
    limited.insert(instance)
    for run in ways { last[run.branch] = max(last[run.branch] ?? 0, run.last) }
  }

  package var isEverything: Bool { limited.isEmpty }
  /// Whether anything of an instance goes on.
  package func hasAny(of instance: UUID) -> Bool {
    !limited.contains(instance) || last.keys.contains { $0.instance == instance }
  }

  package func isLimited(_ instance: UUID) -> Bool { limited.contains(instance) }

  /// Whether a block goes on, by the branch that it lies in here.
  package func covers(_ block: BlockRef) -> Bool {
    !limited.contains(block.instance) || last[block.branch].map { block.index <= $0 } ?? false
  }

  /// As much of a run as goes on; nil if that is nothing.
  package func before(_ run: BlockRun) -> BlockRun? {
    guard limited.contains(run.branch.instance) else { return run }
    guard let last = last[run.branch], last >= run.first else { return nil }
    return BlockRun(run.branch, first: run.first, last: min(run.last, last))
  }
}

extension Roster {
  /// What goes on from here. Where a block cannot be read that may let somebody in, everything does.
  package func handedOn() throws -> HandedOn {
    var result = HandedOn()
    guard folder.hasMembers else { return result }
    guard let membership = try judge().all, try !mayLetIn(membership) else { return result }
    let leaving = membership.leaving
    for chain in try store.branches.chains() where chain.instance != folder.instance {
      let standing = membership[chain.instance]
      // Of a member everything does, also of one that may read only.
      if standing?.role != nil || standing?.hearing == .everything { continue }
      var ends = try store.peers.announced(chain.instance).map { [$0] } ?? []
      for case .last(let last)? in [standing?.cut, standing?.hearing] { ends.append(last) }
      ends += leaving[chain.instance] ?? []
      result.limit(chain.instance, to: try ends.flatMap { try way(to: $0) })
    }
    return result
  }

  /// The runs that lead to a block, if it is here.
  private func way(to block: BlockRef) throws -> [BlockRun] {
    var runs: [BlockRun] = []
    var row = try store.blocks.block(block)
    while let at = row, let branch = try store.branches.branch(at.branch) {
      runs.append(BlockRun(branch.id, first: branch.first, last: at.index))
      row = branch.first > 0 ? try store.branches.base(of: branch) : nil
    }
    return runs
  }

  /// Whether a block cannot be read that may let somebody in.
  func mayLetInUnread() throws -> Bool {
    try judge().all.map { try mayLetIn($0) } ?? false
  }

  /// Whether there is a block that may have entries which cannot be read.
  func mayHaveUnreadEntries() throws -> Bool {
    try store.blocks.blocks(.unread).contains { try store.content.header(of: $0).mode.contains(.control) }
  }

  /// Whether there is a block of somebody with authority whose entries cannot be read.
  private func mayLetIn(_ membership: Membership) throws -> Bool {
    try store.blocks.blocks(.unread).contains { row in
      try store.content.header(of: row).mode.contains(.control) && membership.hasAuthority(row.ref, isWithin)
    }
  }
}

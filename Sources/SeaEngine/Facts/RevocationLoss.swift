import SeaCore

/// The numbers of blocks that a revocation would make invalid.
package struct RevocationLoss: Sendable, Equatable {
  /// Blocks of the revoked instances that come after the last valid block on the same branch.
  package var behind = 0
  /// Blocks of the revoked instances on other branches.
  package var branches: [BranchID: Int] = [:]
  /// Blocks of other instances whose membership depends on blocks that become invalid.
  package var others = 0
  /// Purged blocks whose purge orders become invalid, so that they count as damage.
  package var removed = 0

  package init(behind: Int = 0, branches: [BranchID: Int] = [:], others: Int = 0, removed: Int = 0) {
    (self.behind, self.branches, self.others, self.removed) = (behind, branches, others, removed)
  }

  package var blocks: Int { behind + branches.values.reduce(0, +) + others }
}

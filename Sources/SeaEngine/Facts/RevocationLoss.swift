import SeaCore

/// What counts now and would not after a revocation.
package struct RevocationLoss: Sendable, Equatable {
  /// Blocks of those who are revoked behind the last one that counts, on its branch.
  package var behind = 0
  /// Blocks of theirs on other branches: what counts is one block and those before it.
  package var branches: [BranchID: Int] = [:]
  /// Blocks of others, who belong to the database only by what counts no more.
  package var others = 0
  /// Removed blocks whose orders count no more: they would be damage.
  package var removed = 0

  package init(behind: Int = 0, branches: [BranchID: Int] = [:], others: Int = 0, removed: Int = 0) {
    (self.behind, self.branches, self.others, self.removed) = (behind, branches, others, removed)
  }

  package var blocks: Int { behind + branches.values.reduce(0, +) + others }
}

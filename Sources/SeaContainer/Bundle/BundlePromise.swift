import SeaCore

/// What a manifest says of its members together, so that nobody has to go through them all again.
package struct BundlePromise: Sendable {
  /// The bytes of assets, of what belongs to a backup, and of all else.
  package private(set) var assets: Int64 = 0
  package private(set) var backup: Int64 = 0
  package private(set) var rest: Int64 = 0
  /// Those of the branches with heads of which it has blocks.
  package private(set) var branches: Set<BranchID> = []
  private var heads: Set<BranchID> = []
  /// Of blocks that stand together one is looked at.
  private var last: BranchID?

  init() {}

  init(_ heads: [BundleHead]) { self.heads = Set(heads.lazy.map(\.branch)) }

  mutating func add(_ member: BundleMember) {
    switch member.path {
    case .asset: assets += member.size
    case .backup: backup += member.size
    default: rest += member.size
    }
    guard let (branch, _, _) = member.path.blocks, branch != last else { return }
    last = branch
    if heads.contains(branch) { branches.insert(branch) }
  }
}

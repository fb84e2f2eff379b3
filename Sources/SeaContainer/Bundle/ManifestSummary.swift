import SeaCore

/// A summary of the members in a manifest, so that the manifest need not be reread.
package struct ManifestSummary: Sendable {
  /// The number of bytes of all assets. The next two properties count the bytes of the backup and of all other members.
  package private(set) var assets: Int64 = 0
  package private(set) var backup: Int64 = 0
  package private(set) var rest: Int64 = 0
  package private(set) var branches: Set<BranchID> = []
  private var heads: Set<BranchID> = []
  /// The branch of the last block. For consecutive blocks of the same branch, one check is enough.
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

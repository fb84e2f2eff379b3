import SeaContainer
import SeaCore
import SeaStore

/// The content of a bundle, determined before its first byte is written.
package struct ExportPlan {
  struct Small {
    var path: BundlePath
    var bytes: [UInt8]
  }

  package internal(set) var manifest: BundleManifest
  package internal(set) var changes = 0
  package internal(set) var isFull = true
  /// For each branch, the last block that the bundle leaves out because the receiver must already have it.
  package internal(set) var behind: [(chain: BranchID, index: UInt32)] = []
  /// Whether the bundle contains anything that the receiver may not have.
  package var isNews = false
  /// Whether an access request is the only news in the bundle.
  package internal(set) var onlyAsks = false

  var blockBytes: Int64 = 0
  /// The asset files, sorted by place.
  var assets: [Asset] = []
  /// Local asset files that the receiver lacks but the filter leaves out.
  package internal(set) var leftOut: Set<AssetPlace> = []
  /// The runs of blocks, sorted by branch.
  var sections: [BlockRun] = []
  /// The files that come before the blocks; `back` are the files after the assets. Both are sorted by path.
  var front: [Small] = []
  var back: [Small] = []
}

extension Bundles {
  /// Plans an export of all blocks that a version vector does not include.
  /// - Parameters:
  ///   - filter: selects which of the local assets that the blocks reference are included.
  ///   - there: the asset files that the receiver already has.
  ///   - runs: blocks that the receiver imports first. If assets that these blocks reference are missing there, they
  ///     are added.
  package func plan(
    behind frontier: VersionVector, assets filter: AssetFilter = .all, except there: Set<AssetPlace> = [],
    following runs: [BlockRun] = [], backup: Bool = false
  ) throws -> ExportPlan {
    let sealed = try folder.isSealed()
    var plan = ExportPlan(
      manifest: BundleManifest(
        database: folder.databaseID, contentType: try folder.contentType(), proof: folder.proof, from: folder.instance,
        name: sealed ? nil : try folder.name(), absentAssets: 0, base: [], heads: []))
    // Blocks that were purged without a valid order are not exported, nor are the blocks after them.
    let gaps = try UnauthorizedPurges(store.blocks.unauthorizedPurges(), store.branches)
    let all = try store.branches.runs().compactMap { gaps.before($0) }.sorted { $0.branch < $1.branch }
    plan.behind = all.compactMap { run in frontier[run.branch].map { (run.branch, $0) } }
    plan.isFull = plan.behind.isEmpty
    for run in frontier.missing(of: all) { try add(run, to: &plan) }
    // The manifest lists the heads of all chains, so that an importer can report blocks that are still missing.
    for run in all {
      guard let last = try store.blocks.block(run.branch, run.last) else {
        throw StoreError.damaged("block \(run.branch)/\(run.last)")
      }
      plan.manifest.heads.append(BundleHead(BlockRef(run.branch, index: last.index, digest: last.digest)))
    }
    plan.front = [ExportPlan.Small(path: .info, bytes: Array(plan.manifest.info.text.utf8))]
    if sealed {
      let ended = try keychain.epochs().ended
      let slots = try store.control.slots().filter { !ended.contains($0.digest) }
      plan.front += slots.map { ExportPlan.Small(path: .key($0.digest.description), bytes: $0.bytes) }
      if let request = try author.ownRequest() {
        plan.front.append(ExportPlan.Small(path: .request(folder.instance.description), bytes: request))
      }
    }
    plan.front.sort { $0.path < $1.path }
    try addAssets(to: &plan, filter, except: there)
    try addLeftOut(to: &plan, filter, except: there, by: runs)
    if backup { plan.back = try backupFiles() }
    let asks = plan.front.contains { if case .request = $0.path { true } else { false } }
    let isNews = !plan.sections.isEmpty || !plan.assets.isEmpty || backup
    plan.isNews = isNews || asks
    plan.onlyAsks = asks && !isNews
    if plan.onlyAsks { plan.isFull = false }
    return plan
  }

  private func add(_ section: BlockRun, to plan: inout ExportPlan) throws {
    let chain = section.branch
    plan.sections.append(section)
    plan.manifest.blocks += Int64(section.last - section.first) + 1
    let sums = try store.blocks.sums(of: chain, section.first...section.last)
    plan.changes += sums.changes
    plan.blockBytes += sums.bytes
    guard section.first > 0 else { return }
    guard let before = try predecessor(of: section) else {
      throw StoreError.damaged("block \(chain)/\(section.first - 1)")
    }
    try plan.manifest.base.append(base(chain, before))
  }

  /// Returns the manifest entry for a block that the receiver must have.
  func base(_ chain: BranchID, _ row: BlockRow) throws -> BundleHead {
    let key = try folder.isSealed() ? nil : store.branches.chain(chain.instance)?.publicKey
    return BundleHead(BlockRef(chain, index: row.index, digest: row.digest), lamport: row.lamport, key: key)
  }

  private func predecessor(of section: BlockRun) throws -> BlockRow? {
    let chain = section.branch
    if let branch = try store.branches.branch(chain), branch.first == section.first {
      return try store.branches.base(of: branch)
    }
    return try store.blocks.block(chain, section.first - 1)
  }
}

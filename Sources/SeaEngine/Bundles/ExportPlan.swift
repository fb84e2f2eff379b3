import SeaContainer
import SeaCore
import SeaStore

/// What a bundle is to hold, known before the first byte of it is written.
package struct ExportPlan {
  /// A file that is small enough to be kept in memory.
  struct Small {
    var path: BundlePath
    var bytes: [UInt8]
  }

  /// Its counts are those of the plan.
  package internal(set) var manifest: BundleManifest
  /// How many changes the blocks hold, as far as they can be read.
  package internal(set) var changes = 0
  /// Whether every block is in it.
  package internal(set) var isFull = true
  /// What somebody has who needs nothing more: of each chain the last block that is left out.
  package internal(set) var behind: [(chain: BranchID, index: UInt32)] = []
  /// Whether there is something that the receiver may lack.
  package var isNews = false
  /// Whether all that is news is our wish to be let in.
  package internal(set) var onlyAsks = false

  /// Bytes of the blocks.
  var blockBytes: Int64 = 0
  /// By place.
  var assets: [Asset] = []
  /// Files of assets that are here and that the receiver lacks, left out because they are not wanted.
  package internal(set) var leftOut: Set<AssetPlace> = []
  /// By branch.
  var sections: [BlockRun] = []
  /// In the order of their paths, those before the blocks and those behind the assets.
  var front: [Small] = []
  var back: [Small] = []
}

extension Bundles {
  /// What there is to export behind a frontier.
  /// - Parameters:
  ///   - filter: which assets go along of those that the blocks name and that are here.
  ///   - there: files of assets that the receiver has.
  ///   - runs: blocks that the receiver takes in before: assets that they name and that are not there follow.
  ///   - backup: whether settings and hooks go along.
  package func plan(
    behind frontier: Frontier, assets filter: AssetFilter = .all, except there: Set<AssetPlace> = [],
    following runs: [BlockRun] = [], backup: Bool = false
  ) throws -> ExportPlan {
    let sealed = try folder.isSealed()
    var plan = ExportPlan(
      manifest: BundleManifest(
        database: folder.databaseID, contentType: try folder.contentType(), proof: folder.proof, from: folder.instance,
        name: sealed ? nil : try folder.name(), absentAssets: 0, base: [], heads: []))
    // What nobody may have removed, and what is behind it, is not handed on.
    let gaps = try Gaps(store.blocks.unsoundRemovals(), store.branches)
    let all = try store.branches.runs().compactMap { gaps.before($0) }.sorted { $0.branch < $1.branch }
    plan.behind = all.compactMap { run in frontier[run.branch].map { (run.branch, $0) } }
    plan.isFull = plan.behind.isEmpty
    for run in frontier.missing(of: all) { try add(run, to: &plan) }
    // Also of chains of which it has no block: whoever takes it in can say what else is lacking.
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

  /// What a receiver has to have of a branch.
  func base(_ chain: BranchID, _ row: BlockRow) throws -> BundleHead {
    let key = try folder.isSealed() ? nil : store.branches.chain(chain.instance)?.publicKey
    return BundleHead(BlockRef(chain, index: row.index, digest: row.digest), lamport: row.lamport, key: key)
  }

  /// The block before the first of a section; that of a branch may lie in what it left.
  private func predecessor(of section: BlockRun) throws -> BlockRow? {
    let chain = section.branch
    if let branch = try store.branches.branch(chain), branch.first == section.first {
      return try store.branches.base(of: branch)
    }
    return try store.blocks.block(chain, section.first - 1)
  }
}

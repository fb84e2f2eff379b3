import SeaContainer
import SeaCore
import SeaStore

/// Removes purged data from a container: blocks at their usual locations, in single files and pack files, and assets of
/// the blocks' authors. Does not search for other copies.
package struct ContainerPurge {
  private let assets: Assets
  private let container: Container
  private let dryRun: Bool
  private var memory: PurgeMemory?
  private var store: Store { assets.store }
  package private(set) var emptied = 0
  package private(set) var remainders: [PurgeRemainder] = []

  private init(_ assets: Assets, _ container: Container, dryRun: Bool, memory: PurgeMemory?) {
    (self.assets, self.container, self.dryRun, self.memory) = (assets, container, dryRun, memory)
  }

  /// Prepares a purge that reads every file at a purged location and does not rely on earlier syncs.
  package init(_ assets: Assets, _ container: Container, dryRun: Bool) {
    self.init(assets, container, dryRun: dryRun, memory: nil)
  }

  /// Purges a container after it has received all blocks, including those with the purge orders.
  /// - Parameter mayName: whether the container may have blocks that are missing from this instance.
  /// - Returns: the number of purged blocks and assets, and problems for the remaining data.
  static func run(
    _ assets: Assets, _ container: Container, named name: String, mayName: Bool
  ) throws -> (emptied: Int, problems: [Problem]) {
    let store = assets.store
    var purge = ContainerPurge(assets, container, dryRun: false, memory: try PurgeMemory(assets.folder, name))
    // An append-only container keeps its content, which the purge status reports.
    if try !container.isAppendOnly {
      try purge.run(mayName: mayName) { order in
        try store.peers.seen(of: order.instance, in: name).values.contains { $0.index >= order.index }
      }
    }
    try purge.memory?.keep(isDone: purge.remainders.isEmpty)
    return (
      purge.emptied, purge.remainders.map { Problem(.notPurged, place: name, detail: "\($0.place): \($0.reason)") }
    )
  }

  /// - Parameter isThere: returns whether the container has the block with a purge order. Without the order, a purged
  ///   block would look damaged to other instances.
  package mutating func run(mayName: Bool = false, isThere: (BlockRef) throws -> Bool = { _ in true }) throws {
    let removed = try store.blocks.purgedBlocks().filter { $0.state != .unread }
    if removed.isEmpty { return }
    let rows = Dictionary(grouping: removed, by: \.instance)
    for chain in try container.chains().chains {
      if let rows = rows[chain.instance] { try empty(chain, rows, isThere) }
    }
    try removeAssets(mayName)
  }

  // MARK: - Blocks

  private mutating func empty(_ chain: BranchID, _ rows: [BlockRow], _ isThere: (BlockRef) throws -> Bool) throws {
    let survey = try container.survey(chain)
    var packs: [UInt32: UnknownFile] = [:]
    let leaves = Set(rows.map { Layout.Leaf(containing: $0.index) })
    for file in survey.folded {
      let leaf = Layout.Leaf(containing: file.first)
      guard leaves.contains(leaf) else { continue }
      let pack = UnknownFile(
        path: FilePlace.folded(chain, file.first).path, size: file.size, modified: 0, changed: file.changed)
      if memory?.isKnown(pack) != true { packs[file.first] = pack }
    }
    var blocks: [UInt32: [RemovedBlock]] = [:]
    var isWaiting = false
    for row in rows where survey.mayHaveWhole(row.index, row.whole, row.size, inPacks: packs.keys) {
      guard let source = try store.content.source(of: row), try isThere(source) else {
        isWaiting = true
        continue
      }
      if let left = RemovedBlock(try store.content.bytes(of: row)) { blocks[row.index, default: []].append(left) }
    }
    if isWaiting { remainders.append(PurgeRemainder(place: "\(chain)", reason: "purge order not copied yet")) }
    if blocks.isEmpty { return }
    do {
      let result = try container.empty(chain, blocks, dryRun: dryRun)
      emptied += result.emptied.count
      for (index, reason) in result.kept.sorted(by: { $0.key < $1.key }) {
        remainders.append(PurgeRemainder(place: "\(chain)/\(index)", reason: reason))
      }
      if isWaiting { return }
      let met = result.emptied.union(result.kept.keys).map { Layout.Leaf(containing: $0).first }
      for (first, pack) in packs where !met.contains(first) { memory?.remember(pack) }
    } catch let error as ContainerError {
      remainders.append(PurgeRemainder(place: "\(chain)", reason: try reason(error)))
    }
  }

  // MARK: - Assets

  private mutating func removeAssets(_ mayName: Bool) throws {
    var memory = memory
    let container = container
    let (due, left) = try PurgedAssets(assets).judge(in: container, mayName: mayName) { asset, isFound in
      guard memory != nil, case .file(let size, let changed)? = try container.assetEntry(asset.firstContent)
      else { return false }
      let path = "\(asset.extent) \(asset.digest)"
      let file = UnknownFile(path: path, size: size, modified: 0, changed: changed)
      if isFound { memory?.remember(file) }
      return memory?.isKnown(file) == true
    }
    self.memory = memory
    remainders += left
    if dryRun { remainders += due.map { PurgeRemainder($0) } }
    if dryRun || due.isEmpty { return }
    do throws(ContainerError) {
      let files = PurgedAssets.files(of: due)
      try container.removeAssets(files.others)
      try container.removeAssets(files.first)
      emptied += due.count
    } catch {
      remainders.append(PurgeRemainder(place: Layout.assets, reason: try reason(error)))
    }
  }

  private func reason(_ error: ContainerError) throws -> String {
    if let reason = error.reasonFileIsLocked { return reason }
    if case .helper(.refused(let why, _), _) = error { return "\(why)" }
    throw error
  }
}

extension BranchSurvey {
  /// Whether the container may have the complete block at an index, in a single file or a pack file, judging by names
  /// and sizes.
  /// - Parameters:
  ///   - size: the size of the complete block.
  ///   - removed: the size of the purged block.
  func mayHaveWhole(_ index: UInt32, _ size: Int, _ removed: Int, inPacks packs: some Collection<UInt32>) -> Bool {
    if let single = single(index), single.size != removed || size == removed { return true }
    return packs.contains(Layout.Leaf(containing: index).first)
  }
}

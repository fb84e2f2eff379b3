import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct SyncOptions: Sendable {
  package var direction = Direction.both
  /// Whether to merge conflicts automatically where the settings allow it.
  package var merges = true
  /// The assets to transfer, regardless of settings and earlier syncs. If nil, the settings apply.
  package var assets: AssetFilter?
  /// Whether to verify all files in the containers, even unchanged ones.
  package var isFull: Bool

  package init(_ direction: Direction = .both, merges: Bool = true, assets: AssetFilter? = nil, isFull: Bool = false) {
    self.direction = direction
    self.merges = merges
    self.assets = assets
    self.isFull = isFull
  }
}

/// Transfers blocks, key slots, access requests and assets between this instance and containers.
///
/// Anyone may write to a container: its data is verified (`VerifiedRun`) before it is stored, and invalid data is
/// quarantined and reported as a `Problem`.
package final class Exchange {
  let author: Author
  let access: Access
  let conflicts: Conflicts
  private let indexes: Indexes
  let assets: Assets
  let containers: Containers
  let emptying: PurgeExecutor

  var folder: SeaFolder { author.folder }
  var keychain: Keychain { author.keychain }
  var members: Roster { author.members }
  var store: Store { author.store }
  var settings: Settings { author.folder.settings }

  package init(
    _ access: Access, _ conflicts: Conflicts, _ indexes: Indexes, _ assets: Assets, _ containers: Containers,
    _ emptying: PurgeExecutor
  ) {
    author = access.author
    self.access = access
    self.conflicts = conflicts
    self.indexes = indexes
    self.assets = assets
    self.containers = containers
    self.emptying = emptying
  }

  /// Imports from all containers, merges conflicts, and then writes to all containers, so that blocks from one
  /// container reach the others. Completed transfers are kept even if a later step fails.
  /// - Parameters:
  ///   - begin: called before each container is opened. If it throws an error, the error becomes the outcome for this
  ///     container.
  ///   - resolve: called after the import and the automatic merge, before anything is written to a container.
  ///   - end: called with the outcome for each container, in the given order.
  /// - Throws: errors of the database, of `resolve` and of `end`. An error in one container does not affect the others.
  package func sync(
    _ settings: [ContainerSetting], _ options: SyncOptions = SyncOptions(),
    begin: (ContainerSetting) throws -> Void = { _ in },
    resolve: () throws -> Void = {},
    end: (ContainerSetting, SyncOutcome) throws -> Void
  ) throws {
    var open: [ContainerSync] = []
    for setting in settings {
      var sync = ContainerSync(self, setting, options)
      sync.attempt(.pull) { sync throws in
        try begin(setting)
        try sync.pull()
      }
      try sync.throwLocalFailure()
      open.append(sync)
    }
    let last = open.lastIndex { $0.failure == nil }
    if options.direction == .push { try emptying.run() }
    if options.direction != .push, let last {
      try followUp()
      try reportUnreadable(&open, last)
    }
    try renewIfForked()
    // If there are more blocks to import, these may resolve conflicts without a merge.
    let isAllIn = !open.contains { $0.result.limit != nil }
    if options.merges, options.direction != .push, isAllIn, let last {
      var problems: [Problem] = []
      open[last].result.merged = try conflicts.merge { problems.append(Problem(tooMuchWork: $0)) }
      open[last].result.problems += problems
      try resolve()
    }
    for var sync in open {
      sync.attempt(.push) { sync throws in try sync.push() }
      try sync.throwLocalFailure()
      try sync.keepFailure()
      try end(sync.setting, SyncOutcome(result: sync.result, failure: sync.failure))
    }
  }

  /// Reports stored blocks that cannot be read because a key is missing, and drops earlier reports of blocks that are
  /// readable now.
  private func reportUnreadable(_ syncs: inout [ContainerSync], _ last: Int) throws {
    var reported: Set<BranchID?> = []
    for at in syncs.indices where syncs[at].failure == nil {
      try syncs[at].result.problems.removeAll { try $0.code == .noKey && $0.isStored && !isStillUnread($0) }
      reported.formUnion(syncs[at].result.problems.filter { $0.code == .noKey }.map(\.branch))
    }
    syncs[last].result.problems += try (members.uncounted.unopened() + keychain.unvouched()).filter {
      !reported.contains($0.branch)
    }
  }

  /// - Throws: `containerUnavailable`, `containerMismatch`, and errors of the store and the container.
  package func sync(_ setting: ContainerSetting, _ options: SyncOptions = SyncOptions()) throws -> SyncResult {
    var outcome = SyncOutcome()
    try sync([setting], options) { outcome = $1 }
    return try outcome.get()
  }

  /// Imports blocks, and decrypts them if their keys are available. Does not write to this instance's chain.
  func importBlocks(from container: Container, named name: String, into result: inout SyncResult) throws {
    _ = try keychain.enter { try Unlock.slots(in: container) }
    try access.requests.receive(from: container)
    result.add(try keychain.openUnread())
    var isRepeated = false
    while true {
      // This round retries blocks whose keys were missing, and reports any remaining problems again.
      result.problems.removeAll { $0.place == name && !$0.isStored && $0.code != .fork }
      result.forgetUnreadable()
      try pull(from: container, named: name, into: &result)
      let isLocked = try result.problems.contains { Exchange.locked.contains($0.code) } || hasUnread()
      if try keychain.slots.importKeySlots(from: container, isLocked: isLocked)
        || isLocked && keychain.openGiven({ try Unlock.slots(in: container) })
      {
        result.add(try keychain.openUnread())
        continue
      }
      result.add(try members.applyValidBlocks())
      // Purge orders can be judged only after the import, so try refused blocks a second time.
      let isRefused = result.problems.contains {
        $0.place == name && !$0.isStored && ($0.code == .badRemoval || $0.isUnreadRemoval)
      }
      guard isRefused, !isRepeated else { break }
      isRepeated = true
    }
    var hidden: [BlockRow] = []
    result.add(try keychain.updateHiddenBlocks(hidden: &hidden))
    try result.problems.removeAll {
      try $0.place == name && $0.isStored && $0.code != .badLamport && !isStillUnread($0)
    }
    for row in hidden { result.problems.append(Problem(unvouched: row.branch, row.index, place: name)) }
  }

  /// Problems that may be caused by a missing key. For example, an unreadable block may contain a purge order.
  private static let locked: Set<Problem.Code> = [.noKey, .badRemoval]

  /// Reports blocks that were purged without a valid order. Every sync reports them until a complete copy is found.
  private func reportPurges(_ problems: [Problem], _ result: inout SyncResult) {
    func location(of problem: Problem) -> String { "\(problem.chainText ?? "")/\(problem.index ?? 0)" }
    result.problems.removeAll { $0.place.isEmpty && ($0.code == .badRemoval || $0.isUnreadRemoval) }
    let reported = Set(result.problems.filter { $0.code == .badRemoval }.map(location))
    result.problems += problems.filter { !reported.contains(location(of: $0)) }
  }

  package func isStillUnread(_ problem: Problem) throws -> Bool {
    guard let branch = problem.branch, let index = problem.index else { return true }
    guard let row = try store.blocks.block(branch, index) else { return true }
    return row.state == .unread || row.isHidden && row.state == .applied
  }

  /// Updates this instance's chain, keys, purged data and indexes after a pull, and shares keys with other instances.
  func followUp() throws {
    try author.beginChain()
    try author.dropOldKeys()
    if try access.shareKeys() { _ = try keychain.updateHiddenBlocks() }
    if try emptying.run().scrubbed == .done { try emptying.acknowledge() }
    // The pull may have changed shared settings. An invalid local setting must not stop a sync.
    try indexes.follow(indexes.wanted(isStrict: false))
  }

  /// Takes a new identity if another device is writing as this instance. Also moves assets unavailable from places that the
  /// other device uses.
  func renewIfForked() throws {
    if try store.branches.isContested(folder.instance) { try author.ensureOnlyWriter() }
    try AssetClashes(assets).move()
  }

  private func hasUnread() throws -> Bool { try folder.isSealed() && !store.blocks.blocks(.unread).isEmpty }

  /// If no keys are stored, prompts once for the password. Without a password, the sync transfers blocks without
  /// decrypting them.
  func unlockForSync() throws {
    guard try !folder.isPending() else { return }
    do { _ = try keychain.ring() } catch KitError.noKey {}
  }
}

/// A block that only this instance or only the container has.
package struct MissingBlock: Sendable {
  package struct Change: Sendable {
    package var id: String
    package var revision: RevisionID
    package var kind: RevisionKind
  }
  package var isHere: Bool
  package var chain: BranchID
  package var index: UInt32
  package var instance: UUID { chain.instance }
  package var place: String { "\(chain)/\(index)" }
  /// The changes in the block; empty if the block cannot be read.
  package var changes: [Change] = []
}

extension Exchange {
  /// Calls `body` first with the blocks that the container lacks, and then with those that only the container has,
  /// until `body` returns false. The container's blocks are not verified.
  package func forEachMissing(in name: String, _ body: (MissingBlock) throws -> Bool) throws {
    let setting = try containers.setting(name)
    let container = try containers.open(setting)
    let plan = try containers.plan(setting)
    for run in plan.push { guard try forEachMissing(of: run, body) else { return } }
    for run in plan.pull {
      var goesOn = true
      _ = try container.readBlocks(of: run.branch, from: run.first) { index, bytes in
        goesOn = try body(
          MissingBlock(
            isHere: false, chain: run.branch, index: index, changes: changes(in: bytes, of: run.branch.instance)))
        return goesOn
      }
      guard goesOn else { return }
    }
  }

  func forEachMissing(of run: BlockRun, _ body: (MissingBlock) throws -> Bool) throws -> Bool {
    var goesOn = true
    try store.blocks.forEachBlock(of: run.branch, from: run.first) { row, bytes in
      goesOn = try bytes.withUnsafeBytes {
        try body(
          MissingBlock(isHere: true, chain: row.branch, index: row.index, changes: changes(in: $0, of: row.instance)))
      }
      return goesOn && row.index < run.last
    }
    return goesOn
  }

  func changes(in block: UnsafeRawBufferPointer, of instance: UUID) -> [MissingBlock.Change] {
    guard let opened = try? BlockReader.open(block, of: instance, keys: keychain.availableKeyRing()) else { return [] }
    func list(_ block: UnsafeRawBufferPointer) -> [MissingBlock.Change] {
      let bytes = UnsafeBufferPointer(rebasing: block.assumingMemoryBound(to: UInt8.self)[BlockHeader.size...])
      return opened.payload.changes.map {
        MissingBlock.Change(id: String(decoding: bytes[$0.id], as: UTF8.self), revision: $0.revision, kind: $0.kind)
      }
    }
    return opened.clear?.withUnsafeBytes { list($0) } ?? list(block)
  }
}

extension Exchange {
  /// The maximum number of blocks per transaction. Between transactions, other processes can write.
  static let maxBlocksPerTransaction = 10_000

  /// Verifies and imports the blocks that this instance lacks, and then checks clocks and purge orders.
  /// - Parameter only: the only instance whose blocks to import; nil for all instances.
  package func pull(
    from container: Container, named name: String, only: UUID? = nil, into result: inout SyncResult
  ) throws {
    let place = ContainerPlace(container, named: name)
    let listing = try place.chains()
    result.problems += listing.foreign.filter { !Layout.isLitter($0) }.map {
      Problem(.foreignFile, place: name, detail: $0)
    }
    if only == nil { try CopyMemory.begin(folder, name, container, listing.chains) }
    var pull = try ContainerPull(self, place)
    try pull.run(place.inOrder(listing.chains.filter { only == nil || $0.instance == only }), &result)
    for row in try store.blocks.unauthorizedPurges() { try heal(row, from: place, pull.keys) }
    try judge(name, into: &result)
  }

  /// Checks clocks and purge orders again, because new blocks may affect both.
  private func judge(_ name: String, into result: inout SyncResult) throws {
    let judged = try members.judgeClocks()
    for (branch, index) in judged.wrong {
      var problem = Problem(.badLamport, place: name, branch: branch, index: index)
      problem.isStored = true
      result.problems.append(problem)
    }
    if let records = judged.records { result.records = records }
    if try !store.blocks.purgedBlocks().isEmpty || !store.blocks.blocks(.held).isEmpty {
      result.add(try members.applyValidBlocks())
    }
    reportPurges(try members.badRemovals(), &result)
  }

  private func heal(_ row: BlockRow, from place: ContainerPlace, _ keys: KeyRing?) throws {
    guard let branch = try place.branch(of: row.ref) else { return }
    var whole: [UInt8]?
    func keepIfWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
      if (try? BlockHeader(bytes).isWhole(bytes, row.digest)) == true { whole = Array(bytes) }
      return false
    }
    _ = try place.container.readBlocks(of: branch, from: row.index) { keepIfWhole($1) }
    if whole == nil {
      // Even if the pack file contains the purged block, there may be a single file with the complete block.
      try place.container.readStray(FilePlace.block(branch, row.index).path, keepIfWhole)
    }
    guard let whole else { return }
    let content = whole.withUnsafeBytes { BlockReader.content(of: $0, of: row.instance, keys: keys) }
    let header = try whole.withUnsafeBytes { try BlockHeader($0) }
    try store.write {
      try VerifiedBlock.with(whole, header, row.ref, content) { try store.intake.restorePurgedBlock(row, with: $0) }
    }
  }
}

extension Exchange {
  /// Opens all attached containers that are available now.
  /// - Parameter only: the only container to open.
  /// - Throws: errors of the database, and `containerNotFound`.
  package func assetCopies(only setting: ContainerSetting? = nil) throws -> AssetCopies {
    var copies = AssetCopies()
    var known: Set<UUID> = []
    for setting in try setting.map({ [$0] }) ?? containers.settings() {
      do {
        let container = try containers.open(setting)
        if known.insert(try container.info().container).inserted {
          copies.origins.append(AssetOrigin(name: setting.name, source: container))
        }
      } catch {
        guard Containers.state(for: error) != nil else { throw error }
        copies.unavailable.append((setting.name, error))
      }
    }
    return copies
  }

  /// Counts the referenced assets that neither this instance nor another available container has.
  package func countAssets(onlyIn setting: ContainerSetting) throws -> Int {
    let container = try containers.open(setting)
    let id = try container.info().container
    let others = try containers.settings().compactMap { try? containers.open($0) }.filter {
      try $0.info().container != id
    }
    return try assets.count(onlyIn: container, besides: others)
  }

  /// Fetches assets that are missing locally. Reports wanted assets that are also missing from the container.
  func fetchAssets(
    from container: Container, named name: String, _ filter: AssetFilter, into exchange: inout SyncResult
  ) throws {
    guard !filter.isNone else { return }
    try assets.finishInstalling()
    let origin = AssetOrigin(name: name, source: container)
    var problems: [Problem] = []
    var (lacking, first) = (0, AssetRow?.none)
    var latest: Int64 = 0
    var ahead = AssetsAhead<AssetRow>(from: [container], isLimited: settings.allowance?.isLimited ?? false)
    func fetch(_ asset: AssetRow) throws {
      guard settings.allowance?.reserve(asset.size) ?? true else {
        exchange.left.assets += 1
        return
      }
      let outcome: FetchOutcome
      do { outcome = try assets.fetch(asset, from: [origin], { problems.append($0) }) } catch is Allowance.Reached {
        exchange.left.assets += 1
        return
      }
      switch outcome {
      case .fetched:
        exchange.assetsPulled += 1
        for place in asset.extent.places {
          if case .file(_, let changed) = try container.assetEntry(place) { latest = max(latest, changed) }
        }
      case .missing:
        lacking += 1
        first = first ?? asset
      default: break
      }
    }
    try assets.forEach { asset in
      guard assets.isPlausible(asset), try assets.matches(asset, filter), try assets.here(asset) == nil else {
        return
      }
      try ahead.add(asset, asset.extent.places, fetch)
    }
    try ahead.finish(fetch)
    exchange.problems += problems
    if container.isFar, try folder.state(of: name).given?.sequence == store.assets.lastStored() {
      // This transfer has shown that the container has all local assets.
      try AssetTurn.settle(folder, name, changed: latest)
    }
    guard let first else { return }
    var problem = Problem(
      .incomplete, first, place: name, detail: lacking == 1 ? "" : "\(lacking - 1) more are missing, too")
    problem.isOfAsset = true
    exchange.problems.append(problem)
  }

  package func pushAssets(
    to container: Container, named name: String, _ rule: AssetRule, isFull: Bool = false,
    into exchange: inout SyncResult
  ) throws {
    var push = try AssetPush(assets, to: container, named: name, rule, isFull: isFull)
    defer {
      exchange.assetsPushed += push.pushed + push.healed
      exchange.assetsHealed += push.healed
      exchange.problems += push.problems
      // Writing assets created the assets folder, so a report about the folder no longer applies.
      if push.pushed + push.healed > 0 {
        exchange.problems.removeAll { $0.place == name && $0.branch == nil && $0.detail == Layout.assets }
      }
    }
    try push.run()
    if push.isCut { return }
    // This instance has already continued its interrupted uploads, so any remaining temporary files are useless.
    try container.removeOldTemporaries()
  }

  /// Counts local asset files that were added after the last complete transfer to the container.
  package func countAssetsToPush(_ setting: ContainerSetting, _ filter: AssetFilter? = nil) throws -> Int {
    try assets.count(toPushTo: setting.name, AssetRule(filter ?? setting.assetFilter()))
  }
}

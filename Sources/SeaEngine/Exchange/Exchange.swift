import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What a sync does beside moving blocks.
package struct SyncOptions: Sendable {
  package var direction = Direction.both
  /// Whether conflicts are merged that the settings let end by themselves.
  package var merges = true
  /// Which assets go along, whatever the settings say; then nothing is taken for handed over that was before. Nil: as the
  /// settings say.
  package var assets: AssetFilter?
  /// Whether everything that lies in the containers is read and looked at.
  package var isFull: Bool

  package init(_ direction: Direction = .both, merges: Bool = true, assets: AssetFilter? = nil, isFull: Bool = false) {
    self.direction = direction
    self.merges = merges
    self.assets = assets
    self.isFull = isFull
  }
}

/// Moving blocks, slots, requests and assets between this instance and containers.
///
/// A container is anybody's: what comes from it is verified (`VerifiedRun`) before it is kept, and what is wrong is kept
/// apart and told as a `Problem`. What was taken in or handed over stays so, whatever fails later.
package final class Exchange {
  let author: Author
  let access: Access
  let conflicts: Conflicts
  private let indexes: Indexes
  let assets: Assets
  let containers: Containers
  let emptying: Emptying

  var folder: SeaFolder { author.folder }
  var keychain: Keychain { author.keychain }
  var members: Roster { author.members }
  var store: Store { author.store }
  var settings: Settings { author.folder.settings }

  package init(
    _ access: Access, _ conflicts: Conflicts, _ indexes: Indexes, _ assets: Assets, _ containers: Containers,
    _ emptying: Emptying
  ) {
    author = access.author
    self.access = access
    self.conflicts = conflicts
    self.indexes = indexes
    self.assets = assets
    self.containers = containers
    self.emptying = emptying
    author.bringBack = { [unowned self] in bringBack() }
  }

  /// Exchanges blocks with containers: takes in from all, merges, and hands over to all, so that what comes from one is in the
  /// others afterwards. What was taken in or handed over stays so, whatever fails later.
  /// - Parameters:
  ///   - begin: called before a container is opened; what it throws is that container's outcome.
  ///   - end: told what came of each, in their order, when it is done with.
  /// - Throws: what is wrong with the database, and what `end` throws. What is wrong with one container leaves the others alone.
  package func sync(
    _ settings: [ContainerSetting], _ options: SyncOptions = SyncOptions(),
    begin: (ContainerSetting) throws -> Void = { _ in },
    end: (ContainerSetting, SyncOutcome) throws -> Void
  ) throws {
    var open: [ContainerSync] = []
    for setting in settings {
      var sync = ContainerSync(self, setting, options)
      sync.attempt(.pull) { sync throws in
        try begin(setting)
        try sync.pull()
      }
      try sync.throwUnlessItsOwn()
      open.append(sync)
    }
    let last = open.lastIndex { $0.failure == nil }
    if options.direction == .push { try emptying.run() }
    if options.direction != .push, let last {
      try followUp()
      try tellUnopened(&open, last)
    }
    try renewIfForked()
    // What is left may end a conflict by itself.
    let isAllIn = !open.contains { $0.result.limit != nil }
    if options.merges, options.direction != .push, isAllIn, let last {
      var problems: [Problem] = []
      open[last].result.merged = try conflicts.merge { problems.append(Problem(tooMuchWork: $0)) }
      open[last].result.problems += problems
    }
    for var sync in open {
      sync.attempt(.push) { sync throws in try sync.push() }
      try sync.throwUnlessItsOwn()
      try sync.keepFailure()
      try end(sync.setting, SyncOutcome(result: sync.result, failure: sync.failure))
    }
  }

  /// Tells of what is here and was not read for want of a key, each time; and not of what the key has come for meanwhile.
  private func tellUnopened(_ syncs: inout [ContainerSync], _ last: Int) throws {
    var told: Set<BranchID?> = []
    for at in syncs.indices where syncs[at].failure == nil {
      try syncs[at].result.problems.removeAll { try $0.code == .noKey && $0.isKept && !isStillUnread($0) }
      told.formUnion(syncs[at].result.problems.filter { $0.code == .noKey }.map(\.branch))
    }
    syncs[last].result.problems += try (members.uncounted.unopened() + keychain.unvouched()).filter {
      !told.contains($0.branch)
    }
  }

  /// The same with one container.
  /// - Throws: `containerAway`, `containerMismatch`, and what store and container throw.
  package func sync(_ setting: ContainerSetting, _ options: SyncOptions = SyncOptions()) throws -> SyncResult {
    var outcome = SyncOutcome()
    try sync([setting], options) { outcome = $1 }
    return try outcome.get()
  }

  /// The part of a pull that writes nothing of our own: blocks, and what becomes readable with the keys that they announce.
  func takeIn(from container: Container, named name: String, into result: inout SyncResult) throws {
    _ = try keychain.enter { try Unlock.slots(in: container) }
    try access.requests.take(from: container)
    result.add(try keychain.openUnread())
    var isRepeated = false
    while true {
      // What a key was missing for is looked at again, and what is still wrong is told again.
      result.problems.removeAll { $0.place == name && !$0.isKept && $0.code != .fork }
      result.forgetUnreadable()
      try pull(from: container, named: name, into: &result)
      let isLocked = try result.problems.contains { Exchange.locked.contains($0.code) } || hasUnread()
      if try keychain.slots.take(from: container, isLocked: isLocked)
        || isLocked && keychain.openGiven({ try Unlock.slots(in: container) })
      {
        result.add(try keychain.openUnread())
        continue
      }
      result.add(try members.applyWhatCounts())
      // Which orders count is known only now: what was refused may not have to be.
      let isRefused = result.problems.contains {
        $0.place == name && !$0.isKept && ($0.code == .badRemoval || $0.isUnreadRemoval)
      }
      guard isRefused, !isRepeated else { break }
      isRepeated = true
    }
    var hidden: [BlockRow] = []
    result.add(try keychain.vouchForBlocks(hidden: &hidden))
    try result.problems.removeAll { try $0.place == name && $0.isKept && $0.code != .badLamport && !isStillUnread($0) }
    for row in hidden { result.problems.append(Problem(unvouched: row.branch, row.index, place: name)) }
  }

  /// What a key may be missing for: the order that allows a removed block may lie under it.
  private static let locked: Set<Problem.Code> = [.noKey, .badRemoval]

  /// What was taken in and is not allowed, or not any more, is looked for, and told each time until it is found.
  private func tellRemovals(_ problems: [Problem], _ result: inout SyncResult) {
    func place(_ problem: Problem) -> String { "\(problem.chainText ?? "")/\(problem.index ?? 0)" }
    result.problems.removeAll { $0.place.isEmpty && ($0.code == .badRemoval || $0.isUnreadRemoval) }
    let told = Set(result.problems.filter { $0.code == .badRemoval }.map(place))
    result.problems += problems.filter { !told.contains(place($0)) }
  }

  /// Whether what was told of a block when it was kept is still so.
  package func isStillUnread(_ problem: Problem) throws -> Bool {
    guard let branch = problem.branch, let index = problem.index else { return true }
    guard let row = try store.blocks.block(branch, index) else { return true }
    return row.state == .unread || row.isHidden && row.state == .applied
  }

  /// What follows from a pull for this instance: its chain, its keys, and those of others if it decides about them.
  func followUp() throws {
    try author.beginChain()
    try author.dropOldKeys()
    if try access.shareKeys() { _ = try keychain.vouchForBlocks() }
    if try emptying.run().scrubbed == .done { try emptying.acknowledge() }
    // Settings that all share may have come. One of our own that cannot be read stops no sync.
    try indexes.follow(indexes.wanted(isStrict: false))
  }

  /// Takes another name, before anything else is written, if another one writes in ours, and other places for assets that have to share
  /// theirs with what the other one has put there.
  func renewIfForked() throws {
    if try store.branches.isContested(folder.instance) { try author.ensureSole() }
    try AssetClashes(assets).move()
  }

  /// Looks for what is lacking of the own chain, and for what its blocks name, in the containers that can be reached.
  private func bringBack() {
    var result = SyncResult()
    for setting in (try? containers.settings()) ?? [] {
      guard let container = try? containers.open(setting) else { continue }
      try? pull(from: container, named: setting.name, into: &result)
    }
  }

  private func hasUnread() throws -> Bool { try folder.isSealed() && !store.blocks.blocks(.unread).isEmpty }

  /// Asks for the password once where keys are not kept. Without one, blocks are passed on unread.
  func unlockForSync() throws {
    guard try !folder.isPending() else { return }
    do { _ = try keychain.ring() } catch KitError.noKey {}
  }
}

/// A block that lies here and not in a container, or there and not here.
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
  /// None if the block cannot be read.
  package var changes: [Change] = []
}

extension Exchange {
  /// The blocks that a container lacks, then those that only it has, until `body` returns false.
  ///
  /// What lies in the container has not been verified: `pull` does that.
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

  /// Those of one run of ours.
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
    guard let opened = try? BlockReader.open(block, of: instance, keys: keychain.ringAtHand()) else { return [] }
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
  /// Blocks are applied in runs, each one transaction; other writers have their turn between.
  static let runBlocks = 10_000

  /// Takes in what the container has and this instance lacks, as far as it verifies: of every instance the trunk and all
  /// branches that left it; then judges what follows from it.
  /// - Parameter only: no other instance's.
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
    for row in try store.blocks.unsoundRemovals() { try heal(row, from: place, pull.keys) }
    try judge(name, into: &result)
  }

  /// Clocks may follow from what has come, and orders allow or no longer allow what was removed.
  private func judge(_ name: String, into result: inout SyncResult) throws {
    let judged = try members.judgeClocks()
    for (branch, index) in judged.wrong {
      var problem = Problem(.badLamport, place: name, branch: branch, index: index)
      problem.isKept = true
      result.problems.append(problem)
    }
    if let records = judged.records { result.records = records }
    if try !store.blocks.removed().isEmpty || !store.blocks.blocks(.held).isEmpty {
      result.add(try members.applyWhatCounts())
    }
    tellRemovals(try members.badRemovals(), &result)
  }

  /// Looks for a whole copy of a block that was removed and is not to be.
  private func heal(_ row: BlockRow, from place: ContainerPlace, _ keys: KeyRing?) throws {
    guard let branch = try place.branch(of: row.ref) else { return }
    var whole: [UInt8]?
    func keepIfWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
      if (try? BlockHeader(bytes).isWhole(bytes, row.digest)) == true { whole = Array(bytes) }
      return false
    }
    _ = try place.container.readBlocks(of: branch, from: row.index) { keepIfWhole($1) }
    if whole == nil {
      // It may lie beside a folded file that has the removed one.
      try place.container.readStray(FilePlace.block(branch, row.index).path, keepIfWhole)
    }
    guard let whole else { return }
    let content = whole.withUnsafeBytes { BlockReader.content(of: $0, of: row.instance, keys: keys) }
    let header = try whole.withUnsafeBytes { try BlockHeader($0) }
    try store.write { try VerifiedBlock.with(whole, header, row.ref, content) { try store.intake.heal(row, with: $0) } }
  }
}

// What assets need of the containers that are attached.

extension Exchange {
  /// The attached containers that can be looked into now.
  /// - Parameter only: none but the container of that name.
  /// - Throws: what is wrong with the database itself, and `containerNotFound`.
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
        copies.away.append((setting.name, error))
      }
    }
    return copies
  }

  /// How many contents that any revision names are in the container, and neither here nor in another one that can be
  /// looked into.
  package func countAssets(onlyIn setting: ContainerSetting) throws -> Int {
    let container = try containers.open(setting)
    let id = try container.info().container
    let others = try containers.settings().compactMap { try? containers.open($0) }.filter {
      try $0.info().container != id
    }
    return try assets.count(onlyIn: container, besides: others)
  }

  /// Fetches what a container has of the assets that are not here. What is wanted and is not there is told.
  func fetchAssets(
    from container: Container, named name: String, _ filter: AssetFilter, into exchange: inout SyncResult
  ) throws {
    guard !filter.isNone else { return }
    try assets.finishTaking()
    let origin = AssetOrigin(name: name, source: container)
    var problems: [Problem] = []
    var (lacking, first) = (0, AssetRow?.none)
    var latest: Int64 = 0
    var ahead = AssetsAhead<AssetRow>(from: [container], isLimited: settings.allowance?.isLimited ?? false)
    func fetch(_ asset: AssetRow) throws {
      guard settings.allowance?.takes(asset.size) ?? true else {
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
      // All that is here was just seen whole there.
      try AssetTurn.settle(folder, name, changed: latest)
    }
    guard let first else { return }
    var problem = Problem(
      .incomplete, first, place: name, detail: lacking == 1 ? "" : "nor \(lacking - 1) more that are wanted")
    problem.isOfAsset = true
    exchange.problems.append(problem)
  }

  /// Hands over to a container what is here and what it lacks, and takes away what was left in the making there.
  package func handAssets(
    to container: Container, named name: String, _ rule: AssetRule, isFull: Bool = false,
    into exchange: inout SyncResult
  ) throws {
    var push = try AssetPush(assets, to: container, named: name, rule, isFull: isFull)
    defer {
      exchange.assetsPushed += push.pushed + push.healed
      exchange.assetsHealed += push.healed
      exchange.problems += push.problems
      // The folder is there now.
      if push.pushed + push.healed > 0 {
        exchange.problems.removeAll { $0.place == name && $0.branch == nil && $0.detail == Layout.assets }
      }
    }
    try push.run()
    if push.isCut { return }
    // What this instance has begun there it has gone on with by now.
    try container.removeOldTemporaries()
  }

  /// How many files came here since a container was given all that the rule lets it have.
  package func assetsToHand(_ setting: ContainerSetting, _ filter: AssetFilter? = nil) throws -> Int {
    try assets.count(toPushTo: setting.name, AssetRule(filter ?? setting.assetFilter()))
  }
}

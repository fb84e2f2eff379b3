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
    members.headsOfUnread = { [unowned self] row in try headsOfUnread(row, keychain.ringAtHand()) }
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
    let hidden = try keychain.firstHidden().map { Problem(unvouched: $0.branch, $0.index, place: "") }
    syncs[last].result.problems += try (members.uncounted.unopened() + hidden).filter { !told.contains($0.branch) }
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
    var clocks = try store.branches.wrongClocks().count
    var rounds = 0
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
      // Who counts, and whose clock is wrong, is known only now: what was refused may not have to be.
      let known = clocks
      clocks = try store.branches.wrongClocks().count
      rounds += 1
      let isRefused = result.problems.contains {
        $0.place == name && !$0.isKept && ($0.code == .badRemoval || $0.isUnreadRemoval)
      }
      guard isRefused, rounds == 1 || clocks != known, rounds < Exchange.mostRounds else { break }
    }
    var hidden: [BlockRow] = []
    result.add(try keychain.vouchForBlocks(hidden: &hidden))
    try result.problems.removeAll { try $0.place == name && $0.isKept && $0.code != .badLamport && !isStillUnread($0) }
    for row in hidden { result.problems.append(Problem(unvouched: row.branch, row.index, place: name)) }
    tellRemovals(try members.badRemovals(), &result)
  }

  /// What a key may be missing for: the order that allows a removed block may lie under it.
  private static let locked: Set<Problem.Code> = [.noKey, .badRemoval]

  /// What was taken in and is not allowed any more is looked for, and told each time until it is found.
  private func tellRemovals(_ problems: [Problem], _ result: inout SyncResult) {
    let told = Set(result.problems.filter { $0.code == .badRemoval }.map { "\($0.chainText ?? "")/\($0.index ?? 0)" })
    result.problems += problems.filter { !told.contains("\($0.chainText ?? "")/\($0.index ?? 0)") }
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

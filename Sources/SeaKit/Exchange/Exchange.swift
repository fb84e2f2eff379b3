import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Which way blocks go.
package enum Direction: Sendable {
  case pull, push, both
}

/// What a sync does beside moving blocks.
package struct SyncOptions: Sendable {
  package var direction = Direction.both
  /// Whether conflicts are merged that the settings let end by themselves.
  package var merges = true
  /// Which assets go along, whatever the settings say; then nothing is taken for handed over that was before. Nil: as the
  /// settings say.
  package var assets: AssetFilter?

  package init(_ direction: Direction = .both, merges: Bool = true, assets: AssetFilter? = nil) {
    self.direction = direction
    self.merges = merges
    self.assets = assets
  }
}

extension Database {
  /// Exchanges blocks with containers: takes in from all, merges, and hands over to all, so that what comes from one is in the
  /// others afterwards. What was taken in or handed over stays so, whatever fails later.
  /// - Parameters:
  ///   - begin: called before a container is opened; what it throws is that container's outcome.
  ///   - end: told what came of each, in their order, when it is done with.
  /// - Throws: what is wrong with the database, and what `end` throws. What is wrong with one container leaves the others alone.
  package func sync(
    _ settings: [ContainerSetting], _ options: SyncOptions = SyncOptions(),
    begin: (ContainerSetting) throws -> Void = { _ in },
    end: (ContainerSetting, Result<SyncResult, any Error>) throws -> Void
  ) throws {
    var open: [ContainerSync] = []
    for setting in settings {
      var sync = ContainerSync(self, setting, options)
      sync.attempt { sync throws in
        try begin(setting)
        try sync.pull()
      }
      try sync.throwUnlessItsOwn()
      open.append(sync)
    }
    let last = open.lastIndex { $0.failure == nil }
    if options.direction != .push, last != nil { try settleOwn() }
    if try store.blocks.isForked(instance) {
      // Another one writes in our name: before anything else, this one takes another.
      try beSole()
      store.unlock()
    }
    if options.merges, options.direction != .push, let last {
      open[last].result.merged = try conflicts.merge()
    }
    for var sync in open {
      sync.attempt { sync throws in try sync.push() }
      try sync.throwUnlessItsOwn()
      try end(sync.setting, sync.failure.map { .failure($0) } ?? .success(sync.result))
    }
  }

  /// The same with one container.
  /// - Throws: `containerAway`, `containerMismatch`, and what store and container throw.
  package func sync(_ setting: ContainerSetting, _ options: SyncOptions = SyncOptions()) throws -> SyncResult {
    var outcome: Result<SyncResult, any Error> = .success(SyncResult())
    try sync([setting], options) { outcome = $1 }
    return try outcome.get()
  }

  /// The part of a pull that writes nothing of our own: blocks, and what becomes readable with the keys that they announce.
  func takeIn(from container: Container, named name: String, into result: inout SyncResult) throws {
    _ = try keychain.enter { try Unlock.slots(in: container) }
    try access.takeRequests(from: container)
    result.add(try keychain.openUnread())
    while true {
      // What a key was missing for is looked at again, and what is still wrong is told again.
      result.problems.removeAll { $0.place == name && $0.code != .notReadable && $0.code != .fork }
      try pull(from: container, named: name, into: &result)
      let isLocked = try result.problems.contains { $0.code == .noKey || $0.code == .badTag } || hasUnread()
      guard try keychain.takeSlots(from: container, isLocked: isLocked) else { break }
      result.add(try keychain.openUnread())
    }
    result.add(try members.applyWhatCounts())
  }

  /// What follows from a pull for this instance: its chain, its keys, and those of others if it decides about them.
  func settleOwn() throws {
    try author.beginChain()
    try keychain.admitGuests()
    try access.shareKeys()
  }

  private func hasUnread() throws -> Bool { try isSealed() && !store.blocks.blocks(.unread).isEmpty }

  /// Asks for the password once where keys are not kept. Without one, blocks are passed on unread.
  func unlockForSync() throws {
    guard try !isPending() else { return }
    do { _ = try keyRing() } catch KitError.noKey {}
  }
}

/// The exchange with one container: first what comes from it, later what goes to it.
private struct ContainerSync {
  let database: Database
  let setting: ContainerSetting
  let options: SyncOptions
  private var container: Container?
  private var rule = AssetRule.standard
  var result = SyncResult()
  private(set) var failure: (any Error)?

  init(_ database: Database, _ setting: ContainerSetting, _ options: SyncOptions) {
    self.database = database
    self.setting = setting
    self.options = options
  }

  /// Does nothing once something has failed.
  mutating func attempt(_ body: (inout ContainerSync) throws -> Void) {
    guard failure == nil else { return }
    do { try body(&self) } catch { failure = error }
  }

  /// What the container is not to blame for ends the whole; a refusal of `begin` is no fault of the database either.
  func throwUnlessItsOwn() throws {
    if let failure, container != nil, Database.containerState(for: failure) == nil { throw failure }
  }

  mutating func pull() throws {
    rule = try AssetRule(options.assets ?? setting.assetFilter(), looksAtAll: options.assets != nil)
    container = try database.open(setting)
    guard options.direction != .push, let container else { return }
    try database.unlockForSync()
    try database.takeIn(from: container, named: setting.name, into: &result)
  }

  mutating func push() throws {
    guard let container else { return }
    if options.direction != .pull, !setting.isReadOnly {
      try database.keychain.giveSlots(to: container)
      _ = try database.author.offerRequest(to: container)
      try database.push(to: container, named: setting.name, into: &result)
      try database.handAssets(to: container, named: setting.name, rule, into: &result)
    }
    if options.direction != .push {
      try database.fetchAssets(from: container, named: setting.name, rule.fetches, into: &result)
    }
    let id = try database.store.peers.container(setting.name)?.id ?? container.info().container
    let state = result.problems.contains { $0.isDamage } ? "damaged" : "ok"
    try database.store.write {
      try database.store.peers.setContainer(
        ContainerRow(name: setting.name, id: id, last: database.settings.clock(), state: state))
    }
  }
}

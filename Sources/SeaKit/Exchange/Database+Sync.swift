import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Which way blocks go.
package enum Direction: Sendable {
  case pull, push, both
}

extension Database {
  /// Exchanges blocks with one container, and merges what the settings let merge by itself. What was taken in or handed over stays so, whatever fails afterwards.
  /// - Parameter assets: which assets go along, whatever the settings say; then nothing is taken for handed over that
  ///   was before. Nil: as the settings say.
  /// - Throws: `containerAway`, `containerMismatch`, and what store and container throw.
  package func sync(
    _ setting: ContainerSetting, _ direction: Direction, merges: Bool = true, assets: AssetFilter? = nil
  ) throws -> Exchange {
    let rule = try AssetRule(assets ?? setting.assetFilter(), looksAtAll: assets != nil)
    let container = try open(setting)
    var exchange = Exchange()
    if direction != .push { try pullAll(from: container, named: setting.name, into: &exchange) }
    if try !store.blocks.siblings(of: instance).isEmpty {
      // Another one writes in our name: before anything else, this one takes another.
      try beSole()
      store.unlock()
    }
    if merges, direction != .push { exchange.merged = try conflicts.merge() }
    if direction != .pull, !setting.isReadOnly {
      try keychain.giveSlots(to: container)
      _ = try author.offerRequest(to: container)
      try push(to: container, named: setting.name, into: &exchange)
      try handAssets(to: container, named: setting.name, rule, into: &exchange)
    }
    if direction != .push {
      try fetchAssets(from: container, named: setting.name, rule.fetches, into: &exchange)
    }
    let row = try store.peers.container(setting.name)
    let id = try row?.id ?? container.info().container
    let now = settings.clock()
    let state = exchange.problems.contains { $0.isDamage } ? "damaged" : "ok"
    try store.write {
      try store.peers.setContainer(ContainerRow(name: setting.name, id: id, last: now, state: state))
    }
    store.unlock()
    return exchange
  }

  /// Takes in blocks, and what becomes readable with the keys that they announce.
  private func pullAll(from container: Container, named name: String, into exchange: inout Exchange) throws {
    try unlockForSync()
    try takeIn(from: container, named: name, into: &exchange)
    try settleOwn()
  }

  /// The part of a pull that writes nothing of our own.
  func takeIn(from container: Container, named name: String, into exchange: inout Exchange) throws {
    _ = try keychain.enter { try Unlock.slots(in: container) }
    try access.takeRequests(from: container)
    exchange.add(try keychain.openUnread())
    while true {
      // What a key was missing for is looked at again, and what is still wrong is told again.
      exchange.problems.removeAll { $0.place == name && $0.code != .notReadable && $0.code != .fork }
      try pull(from: container, named: name, into: &exchange)
      let isLocked = try exchange.problems.contains { $0.code == .noKey || $0.code == .badTag } || hasUnread()
      guard try keychain.takeSlots(from: container, isLocked: isLocked) else { break }
      exchange.add(try keychain.openUnread())
    }
    exchange.add(try members.applyWhatCounts())
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

  /// How many blocks of each chain a container is not known to have.
  package func toPush(_ name: String) throws -> Int {
    let seen = try store.peers.seen(in: name)
    let forked = Set(try store.blocks.siblings().map { $0.instance })
    return try store.blocks.chains().reduce(0) { sum, chain in
      if forked.contains(chain.instance) { return try sum + toPush(chain.instance, name) }
      return sum + Int(chain.head.index) - (seen[chain.trunk.id].map { Int($0.index) } ?? -1)
    }
  }

  /// How many blocks a container has that this instance lacks; looks at names only.
  package func toPull(_ container: Container, named name: String? = nil) throws -> Int {
    var count = 0
    for chain in try container.chains().chains {
      guard let last = try container.lastIndex(of: chain) else { continue }
      count += try max(0, Int(last) - lastKnown(of: chain, in: container, named: name))
    }
    return count
  }

  /// The last index of a chain in a container up to which nothing is lacking here, as far as names tell.
  func lastKnown(of chain: BranchID, in container: Container, named name: String?) throws -> Int {
    let seen = try name.flatMap { try store.peers.seen(chain, in: $0) }
    guard !chain.isTrunk else {
      let isForked = try !store.blocks.siblings(of: chain.instance).isEmpty
      if let seen, isForked { return Int(seen.index) }
      return try store.blocks.chain(chain.instance).map { Int($0.head.index) } ?? -1
    }
    let head = try store.blocks.branch(chain)?.head
    if let known = [seen, head].compactMap({ $0?.index }).max() { return Int(known) }
    return try container.firstIndex(of: chain).map { Int($0) - 1 } ?? -1
  }
}

// MARK: - Clone

extension Database {
  /// Makes a new instance of the database that a container holds, with the container as `origin`.
  ///
  /// What verifies is taken in; if nothing could be, no `.sea` is left behind.
  /// - Parameter assets: which assets are fetched, now and whenever the container is synced; nil for none.
  /// - Throws: `databaseExists`, `folderInUse`, `containerAway`, the first `Problem` if all that is there is damaged.
  package static func clone(
    _ location: String, to folder: String, name: String, assets: AssetFilter? = nil, _ settings: Settings
  ) throws -> (database: Database, exchange: Exchange) {
    let source = try container(at: location)
    let info: ContainerInfo
    do throws(ContainerError) { info = try source.info() } catch { throw cloneFailure(error, source) }
    if try Path.exists(Path.join(folder, Location.folderName)) {
      throw KitError.databaseExists(path: Path.join(folder, Location.folderName))
    }
    // A database inside a container would be copied about with it.
    if try Path.exists(Path.join(folder, Layout.info)) { throw KitError.folderInUse(path: folder) }
    let isNew = try !Path.exists(folder)
    var creation = Creation()
    creation.database = info.database
    creation.contentType = info.contentType
    creation.name = name
    var writing = settings
    writing.access = .write
    var setting = ContainerSetting(name: "origin", location: location)
    setting.assets = assets?.description
    creation.origin = setting
    let opened = try open(source, info, location, settings, &creation)
    let made = try create(in: folder, creation, writing)
    let database = try Database(path: made.path, writing)
    do {
      if creation.isRequest {
        database.leftRequest = try database.author.offerRequest(to: source)
        return (database, Exchange())
      }
      if let keys = creation.keys { database.keychain.hold(KeyRing(database: info.database, keys: keys)) }
      // A newcomer has nothing to say yet.
      let exchange = try database.sync(setting, .pull, merges: false)
      if exchange.pulled == 0, let problem = exchange.problems.first(where: { $0.isDamage }) { throw problem }
      if let opened { try database.keychain.forget(opened, place: location) }
      return (database, exchange)
    } catch {
      let isEmpty = (try? database.store.blocks.chains().count < 2) ?? true
      let isRefused: Bool
      if case KitError.badPassword = error { isRefused = true } else { isRefused = false }
      database.close()
      if isEmpty || isRefused {
        Creation.discard(made.path)
        if isNew { _ = try? Path.removeDirectory(folder) }
      }
      throw error
    }
  }

  /// What a sealed container opens to: the keys that a password opens, or, without one, a request to be let in.
  /// - Returns: the slots that opened, and what they have; nil for a request, or if nothing is sealed.
  private static func open(
    _ source: Container, _ info: ContainerInfo, _ location: String, _ settings: Settings, _ creation: inout Creation
  ) throws -> [(slot: Slot, key: EpochKey)]? {
    let slots = try Unlock.slots(in: source)
    guard info.sealed || !slots.isEmpty else {
      guard !settings.expectsSealed else { throw KitError.notSealed(place: location) }
      return nil
    }
    creation.isSealed = true
    guard let password = try settings.password?(.open(place: location)) else {
      creation.isRequest = true
      return nil
    }
    let (opened, ring) = try Unlock.keys(password, slots, database: info.database, place: location)
    creation.keys = ring.all
    return opened
  }

  /// Nothing at the place is away; something else at it is no container.
  private static func cloneFailure(_ error: ContainerError, _ source: Container) -> any Error {
    if case .notAContainer = error { return error }
    return away(error, "origin", source)
  }
}

import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Creates a new instance of an existing database from a container or from bundles.
struct Clone {
  /// The source's own description of the database.
  var info: ContainerInfo
  var slots: [Slot] = []
  var moreSlots = 0
  var place: String
  var origin: ContainerSetting?
  /// The container whose key slots may still be arriving; nil for a bundle, which is complete.
  var source: Container?
  /// Whether to keep imported data after a failure, so that a sync can continue.
  var keepsProgress = false
  /// The keys found in the first attempt: confirmed keys, and guests, which are not confirmed.
  private var known: (keys: [EpochKey], guests: [EpochKey])?

  init(
    info: ContainerInfo, slots: [Slot] = [], place: String, origin: ContainerSetting? = nil, keepsProgress: Bool = false
  ) {
    self.info = info
    self.slots = slots
    self.place = place
    self.origin = origin
    self.keepsProgress = keepsProgress
  }

  /// Creates a `.sea` folder. If nothing can be imported, no files remain.
  /// - Parameters:
  ///   - ask: leaves a request for access at the source; returns whether this succeeded.
  ///   - fill: imports the source's data.
  /// - Throws: `databaseExists`, `folderInUse`, `notSealed`, `badPassword`, and the errors of `fill`.
  func make<Result>(
    in folder: String, name: String, _ settings: Settings, ask: (Database) throws -> Bool,
    fill: (Database) throws -> Result
  ) throws -> (database: Database, result: Result?) {
    var (isNew, goesOn) = try Clone.check(folder, info.database)
    var creation = Creation()
    creation.isClone = true
    creation.database = info.database
    creation.proof = info.proof
    creation.contentType = info.contentType
    creation.name = name
    creation.origin = origin
    if origin != nil { creation.originInfo = info }
    let opened = try open(settings, &creation)
    var writing = settings
    writing.access = .write
    if goesOn, try Clone.isPending(folder) != creation.isRequest {
      // The interrupted clone had only requested access, and now keys are available, or vice versa.
      Creation.discard(Path.join(folder, Location.folderName))
      goesOn = false
    }
    let path = Path.join(folder, Location.folderName)
    let made = goesOn ? path : try Database.create(in: folder, creation, writing).path
    let database = try Database(path: made, writing)
    func isDone() throws { try database.store.write { try database.store.setMeta(Clone.mark, .int(0)) } }
    do {
      if creation.isRequest {
        database.leftRequest = try ask(database)
        try isDone()
        return (database, nil)
      }
      if let keys = creation.keys, let proof = info.proof {
        let ring = KeyRing(proof, keys: keys)
        for guest in known?.guests ?? [] { ring.add(guest, asGuest: true, isUsed: true) }
        database.keychain.hold(ring)
      }
      let result = try fill(database)
      guard try database.folder.hasFounder() else {
        try settings.checkStop()
        throw KitError.unproven(place: place, isBundle: origin == nil)
      }
      if let opened { try requireValid(opened, database.keychain) }
      if known == nil, let keys = try database.keychain.keysForOwnChain() {
        // Unconfirmed key slots led to the wrong keys. The second attempt uses the keys that control entries confirm.
        database.close()
        Creation.discard(made)
        var again = self
        again.known = keys
        return try again.make(in: folder, name: name, settings, ask: ask, fill: fill)
      }
      try isDone()
      return (database, result)
    } catch {
      var keeps =
        goesOn
        || keepsProgress && (try? database.store.branches.chains().count > 1 && database.folder.hasFounder()) ?? false
      switch error {
      case KitError.badPassword, KitError.recoveryKeyOpensNoSlot: keeps = goesOn
      default: break
      }
      database.close()
      if !keeps {
        Creation.discard(made)
        if isNew { _ = try? Path.removeDirectory(folder) }
      }
      throw !keeps && error is Stopped ? Stopped(.nothing) : error
    }
  }

  /// The name of the metadata entry that is 1 as long as a clone is incomplete.
  static let mark = "cloning"

  /// - Parameter database: the ID of the database to clone, if known.
  /// - Returns: whether the folder is new, and whether it contains an interrupted clone that can be continued.
  static func check(_ folder: String, _ database: UUID? = nil) throws -> (isNew: Bool, goesOn: Bool) {
    let path = Path.join(folder, Location.folderName)
    if try Path.exists(path) {
      guard let there = try? SeaFolder(path: path) else { throw KitError.databaseExists(path: path) }
      defer { there.store.close() }
      guard try there.store.metaInt(mark) == 1, database.map({ $0 == there.databaseID }) ?? true else {
        throw KitError.databaseExists(path: path)
      }
      return (false, true)
    }
    if try Path.exists(Path.join(folder, Layout.info)) { throw KitError.folderInUse(path: folder) }
    try Creation.checkPlace(folder)
    return (try !Path.exists(folder), false)
  }

  private static func isPending(_ folder: String) throws -> Bool {
    let there = try SeaFolder(path: Path.join(folder, Location.folderName))
    defer { there.store.close() }
    return try there.isPending()
  }

  /// - Throws: `badPassword` or `recoveryKeyOpensNoSlot` if all key slots that were opened are invalid.
  private func requireValid(_ opened: [Slot], _ keychain: Keychain) throws {
    do { try keychain.requireValid(opened, place: place) } catch {
      guard keychain.folder.settings.recovery == nil else { throw KitError.recoveryKeyOpensNoSlot(place: place) }
      throw error
    }
  }

  /// Opens an encrypted source with the recovery key or a password. Without a password, prepares a request for access.
  private func open(
    _ settings: Settings, _ creation: inout Creation
  ) throws -> [Slot]? {
    if let recovery = settings.recovery, info.proof?.recovery != recovery.key { throw KitError.notRecovery }
    guard let proof = info.proof, proof.isSealed else {
      guard !settings.expectsSealed else { throw KitError.notSealed(place: place) }
      return nil
    }
    creation.isSealed = true
    if let recovery = settings.recovery {
      let ring = KeyRing(proof)
      Unlock.keys(for: recovery, slots, into: ring)
      creation.keys = known?.keys ?? ring.all
      let opened = slots.filter { slot in
        slot.isFor(recovery.instance) && ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
      }
      guard !opened.isEmpty else { throw KitError.recoveryKeyOpensNoSlot(place: place) }
      return opened
    }
    let found = try settings.opening(place, orAsks: settings.requestsAccess) { password in
      do {
        return try Unlock.keys(
          password, slots, of: proof, place: place, more: moreSlots, settings.slotEffort,
          progress: settings.report)
      } catch KitError.badPassword {
        // As long as key slots are missing, the password may still be correct.
        guard try source?.lacksSlots() == true else { throw KitError.badPassword(place: place) }
        throw KitError.stillIncomplete(path: place, what: .keys)
      }
    }
    guard let (opened, ring) = found else {
      guard settings.requestsAccess else { throw KitError.noKey(path: place, pending: false) }
      creation.isRequest = true
      return nil
    }
    creation.keys = known?.keys ?? ring.all
    return opened.map(\.slot)
  }
}

package enum CloneSource {
  case container(String)
  case bundles(CloneBundles)
}

package struct Cloned {
  package var database: Database
  package var exchange = SyncResult()
  package var assets = 0
  package var restored = Restored()
  /// If some bundles were imported, the errors of the bundles that were not.
  package var failures: [any Error] = []
}

extension Database {
  /// - Parameters:
  ///   - assets: the assets to import; nil for the default: all assets of bundles, but no assets of a container.
  ///   - isReadOnly: whether nothing is ever written to the source.
  package static func clone(
    _ source: CloneSource, to folder: String, name: String, assets: AssetFilter?, isReadOnly: Bool = false,
    _ settings: Settings
  ) throws -> Cloned {
    switch source {
    case .container(let location):
      try clone(location, to: folder, name: name, assets: assets, isReadOnly: isReadOnly, settings)
    case .bundles(let bundles):
      try clone(bundles, to: folder, name: name, assets: assets, isReadOnly: isReadOnly, settings)
    }
  }

  /// Returns the source's own description of the database, which is not verified.
  package static func survey(_ source: CloneSource, _ helpers: Helpers) throws -> ContainerSurvey {
    switch source {
    case .container(let location): return try Containers.survey(ofContainerAt: location, helpers)
    case .bundles(let bundles):
      let first = try readManifests(of: bundles).first
      return ContainerSurvey(database: first.database, contentType: first.contentType)
    }
  }

  /// Creates a new instance of the database in a container, and attaches the container as `origin`.
  ///
  /// All verified data is imported. If no data could be imported, no `.sea` folder remains.
  /// - Parameters:
  ///   - assets: the assets to fetch, both now and whenever the container is synced; nil for none.
  ///   - isReadOnly: whether the new instance never writes to the container.
  /// - Throws: `databaseExists`, `folderInUse`, `containerUnavailable`, the first `Problem` if all data is damaged,
  ///   `stillIncomplete` if the creator's first block is missing but no data is damaged.
  package static func clone(
    _ location: String, to folder: String, name: String, assets: AssetFilter? = nil, isReadOnly: Bool = false,
    _ settings: Settings
  ) throws -> Cloned {
    let source = try Containers.at(location, settings.helpers)
    let info: ContainerInfo
    do throws(ContainerError) { info = try source.info() } catch {
      if case let arriving as KitError = Containers.incompleteOr(error, source, settings) { throw arriving }
      if let path = HelperPlace.path(of: location), Location.database(at: path) != nil {
        throw KitError.badPlace(.database(path: path, isRead: true))
      }
      throw error
    }
    _ = try Clone.check(folder)
    var setting = ContainerSetting(name: "origin", location: location)
    setting.assets = assets?.description
    setting.isReadOnly = isReadOnly
    let found = try Unlock.found(in: source, most: settings.slotEffort.mostFiles)
    var clone = Clone(info: info, slots: found.slots, place: location, origin: setting, keepsProgress: true)
    clone.moreSlots = found.more
    clone.source = source
    func ask(_ database: Database) throws -> Bool {
      guard try database.author.offerRequest(to: source) else { return false }
      try SummaryCheck.updateSummary(database.exchange, at: source, setting)
      return true
    }
    let made = try clone.make(in: folder, name: name, settings, ask: ask) { database in
      // A new instance does not have anything to merge yet.
      let result = try database.exchange.sync(setting, SyncOptions(.pull, merges: false))
      if result.isIncomplete, try !database.folder.hasFounder() {
        throw KitError.stillIncomplete(path: source.location, what: .blocks)
      }
      if result.pulled == 0, let problem = result.problems.first(where: { $0.isDamage }) { throw problem }
      if try !database.folder.hasFounder(), let proof = info.proof, !result.problems.contains(where: { $0.isDamage }),
        try !source.has(BranchID(proof.founderInstance), 0)
      {
        // Nothing in the container contradicts the proof, so the missing block may still be arriving.
        throw KitError.stillIncomplete(path: source.location, what: .blocks)
      }
      return result
    }
    let result = made.result ?? SyncResult()
    return Cloned(database: made.database, exchange: result, assets: result.assets)
  }
}

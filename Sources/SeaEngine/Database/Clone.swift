import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Making a new instance of a database that is there already, from a container or from bundles.
struct Clone {
  /// What the source says of the database.
  var info: ContainerInfo
  /// What wraps its keys.
  var slots: [Slot] = []
  /// How many files in the place of such were not read.
  var moreSlots = 0
  /// The source, for people.
  var place: String
  /// A container that is attached from the start.
  var origin: ContainerSetting?
  /// Where what wraps the keys may not all be there yet; nil for a bundle, which is whole.
  var source: Container?
  /// Whether what was taken in before something failed is kept, so that a sync can go on from there.
  var keepsProgress = false
  /// The keys that opened when it was tried before, those that the entries vouch for and the others.
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

  /// Makes `.sea` in a folder; if nothing could be taken in, nothing is left behind.
  /// - Parameters:
  ///   - ask: leaves the wish to be let in where the source is; says whether it could.
  ///   - fill: takes in what is there.
  /// - Throws: `databaseExists`, `folderInUse`, `notSealed`, `badPassword`, and what `fill` throws.
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
      // It asked to be let in, and now it can open what is there; or the other way round.
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
        // Slots that nobody vouches for have led it to others: once more, with those that the entries name.
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
      case KitError.badPassword, KitError.recoveryOpensNothing: keeps = goesOn
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

  /// In the store: 1 as long as a clone has not come to its end.
  static let mark = "cloning"

  /// - Parameter database: what is to be cloned, if that is known yet.
  /// - Returns: whether the folder is to be made, and whether it has a clone that was stopped and goes on.
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

  /// - Throws: `badPassword`, or `recoveryOpensNothing`, if none of the slots that were opened is valid.
  private func requireValid(_ opened: [Slot], _ keychain: Keychain) throws {
    do { try keychain.requireValid(opened, place: place) } catch {
      guard keychain.folder.settings.recovery == nil else { throw KitError.recoveryOpensNothing(place: place) }
      throw error
    }
  }

  /// What a sealed source opens to: the keys that recovery or a password opens, or, without one, a request to be let in.
  /// - Returns: the slots that opened; nil for a request, or if nothing is sealed.
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
      guard !opened.isEmpty else { throw KitError.recoveryOpensNothing(place: place) }
      return opened
    }
    let found = try settings.opening(place, orAsks: settings.asksToBeLetIn) { password in
      do {
        return try Unlock.keys(
          password, slots, of: proof, place: place, more: moreSlots, settings.slotEffort,
          progress: settings.report)
      } catch KitError.badPassword {
        // Another one would not open what is not there.
        guard try source?.lacksSlots() == true else { throw KitError.badPassword(place: place) }
        throw KitError.stillArriving(path: place, what: .keys)
      }
    }
    guard let (opened, ring) = found else {
      guard settings.asksToBeLetIn else { throw KitError.noKey(path: place, pending: false) }
      creation.isRequest = true
      return nil
    }
    creation.keys = known?.keys ?? ring.all
    return opened.map(\.slot)
  }
}

/// What a database can be made from.
package enum CloneSource {
  /// A container at a location.
  case container(String)
  case bundles(CloneBundles)
}

/// What became of it.
package struct Cloned {
  package var database: Database
  package var exchange = SyncResult()
  /// Assets that came.
  package var assets = 0
  package var restored = Restored()
  /// What kept a bundle from being taken in, while others were.
  package var failures: [any Error] = []
}

extension Database {
  /// Makes a new instance of a database that is there already.
  /// - Parameter assets: which come along; nil for the usual: all that are in bundles, none of a container.
  package static func clone(
    _ source: CloneSource, to folder: String, name: String, assets: AssetFilter?, _ settings: Settings
  ) throws -> Cloned {
    switch source {
    case .container(let location): try clone(location, to: folder, name: name, assets: assets, settings)
    case .bundles(let bundles): try clone(bundles, to: folder, name: name, assets: assets, settings)
    }
  }

  /// What a clone would be of, by names and by what is said there: nothing is verified.
  package static func survey(_ source: CloneSource, _ helpers: Helpers) throws -> ContainerSurvey {
    switch source {
    case .container(let location): return try Containers.survey(ofContainerAt: location, helpers)
    case .bundles(let bundles):
      let first = try look(at: bundles).first
      return ContainerSurvey(database: first.database, contentType: first.contentType)
    }
  }

  /// Makes a new instance of the database that a container holds, with the container as `origin`.
  ///
  /// What verifies is taken in; if nothing could be, no `.sea` is left behind.
  /// - Parameter assets: which assets are fetched, now and whenever the container is synced; nil for none.
  /// - Throws: `databaseExists`, `folderInUse`, `containerAway`, the first `Problem` if all that is there is damaged, `stillArriving` if the
  ///   founder's first block is not there and nothing that is there is damaged.
  package static func clone(
    _ location: String, to folder: String, name: String, assets: AssetFilter? = nil, _ settings: Settings
  ) throws -> Cloned {
    let source = try Containers.at(location, settings.helpers)
    let info: ContainerInfo
    do throws(ContainerError) { info = try source.info() } catch {
      if case let arriving as KitError = Containers.arrivingOr(error, source, settings) { throw arriving }
      if let path = HelperPlace.path(of: location), Location.database(at: path) != nil {
        throw KitError.badPlace(.database(path: path, isRead: true))
      }
      throw error
    }
    _ = try Clone.check(folder)
    var setting = ContainerSetting(name: "origin", location: location)
    setting.assets = assets?.description
    let found = try Unlock.found(in: source, most: settings.slotEffort.mostFiles)
    var clone = Clone(info: info, slots: found.slots, place: location, origin: setting, keepsProgress: true)
    clone.moreSlots = found.more
    clone.source = source
    func ask(_ database: Database) throws -> Bool {
      guard try database.author.offerRequest(to: source) else { return false }
      try HintLook.leave(database.exchange, at: source, setting)
      return true
    }
    let made = try clone.make(in: folder, name: name, settings, ask: ask) { database in
      // A newcomer has nothing to say yet.
      let result = try database.exchange.sync(setting, SyncOptions(.pull, merges: false))
      if result.isArriving, try !database.folder.hasFounder() {
        throw KitError.stillArriving(path: source.location, what: .blocks)
      }
      if result.pulled == 0, let problem = result.problems.first(where: { $0.isDamage }) { throw problem }
      if try !database.folder.hasFounder(), let proof = info.proof, !result.problems.contains(where: { $0.isDamage }),
        try !source.has(BranchID(proof.founderInstance), 0)
      {
        // Nothing that is there contradicts it.
        throw KitError.stillArriving(path: source.location, what: .blocks)
      }
      return result
    }
    let result = made.result ?? SyncResult()
    return Cloned(database: made.database, exchange: result, assets: result.assets)
  }
}

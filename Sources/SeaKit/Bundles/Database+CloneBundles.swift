import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What a database is to be made from.
package struct CloneBundles {
  /// Files, and what they are called in messages.
  package var bundles: [(path: String, name: String)]
  /// The folder that they lie in, if that is what was named.
  package var folder: ExchangeFolder?
  /// For people.
  package var place: String
  package var assets = AssetFilter.all
  /// Whether settings and hooks of a backup come along.
  package var restores = false
  /// A folder for large manifests while they are looked at.
  package var temporary = "/tmp"

  package init(bundles: [(path: String, name: String)], folder: ExchangeFolder?, place: String) {
    self.bundles = bundles
    self.folder = folder
    self.place = place
  }
}

/// What became of it.
package struct ClonedBundles {
  package var database: Database
  package var exchange = Exchange()
  package var assets = 0
  package var restored = Restored()
  /// What kept a bundle from being taken in, while others were.
  package var failures: [any Error] = []
}

extension Database {
  /// Makes a new instance of the database that is in bundles. If nothing can be taken in, no `.sea` is left behind.
  /// - Throws: `databaseExists`, `folderInUse`, `TransferError`, `badPassword`.
  package static func clone(
    _ source: CloneBundles, to folder: String, name: String, _ settings: Settings
  ) throws -> ClonedBundles {
    if try Path.exists(Path.join(folder, Location.folderName)) {
      throw KitError.databaseExists(path: Path.join(folder, Location.folderName))
    }
    if try Path.exists(Path.join(folder, Layout.info)) { throw KitError.folderInUse(path: folder) }
    let isNew = try !Path.exists(folder)
    let (first, slots, unreadable) = try look(at: source)
    var creation = Creation()
    creation.database = first.database
    creation.contentType = first.contentType
    creation.name = name
    let opened = try open(slots, first, source.place, settings, &creation)
    var writing = settings
    writing.access = .write
    let made = try create(in: folder, creation, writing)
    var result = ClonedBundles(database: try Database(path: made.path, writing))
    result.failures = unreadable
    let database = result.database
    do {
      if creation.isRequest {
        database.leftRequest = try source.folder.map { try database.ask(in: $0) } ?? false
        return result
      }
      if let keys = creation.keys { database.keychain.hold(KeyRing(database: first.database, keys: keys)) }
      try database.takeIn(source, &result)
      guard result.exchange.pulled > 0 || result.failures.isEmpty else { throw result.failures[0] }
      if let opened { try database.keychain.forget(opened, place: source.place) }
      if let folder = source.folder { try database.leaveHeads(in: folder) }
      return result
    } catch {
      database.close()
      Creation.discard(made.path)
      if isNew { _ = try? Path.removeDirectory(folder) }
      throw error
    }
  }

  /// Of which database the bundles are.
  package static func survey(_ source: CloneBundles) throws -> (database: UUID, contentType: String) {
    let first = try look(at: source).first
    return (first.database, first.contentType)
  }

  /// What the bundles say about themselves, and the slots in them.
  private static func look(
    at source: CloneBundles
  ) throws -> (first: BundleManifest, slots: [Slot], unreadable: [any Error]) {
    var first: BundleManifest?
    var slots: [Slot] = []
    var unreadable: [any Error] = []
    for (path, name) in source.bundles {
      do {
        let temporary = source.temporary
        let manifest = try BundleFault.named(name) {
          try BundleReader(.file(path: path), temporary: temporary).manifest()
        }
        if let first, first.database != manifest.database {
          throw TransferError.severalDatabases(path: source.place)
        }
        if first == nil { first = manifest }
        guard manifest.isSealed else { continue }
        slots += try BundleFault.named(name) { try SlotPeek.slots(of: .file(path: path), temporary: temporary) }
      } catch let error as TransferError {
        if case .severalDatabases = error { throw error }
        unreadable.append(error)
      }
    }
    guard let first else { throw unreadable.first ?? TransferError.noBundles(path: source.place) }
    return (first, slots, unreadable)
  }

  private static func open(
    _ slots: [Slot], _ manifest: BundleManifest, _ place: String, _ settings: Settings, _ creation: inout Creation
  ) throws -> [(slot: Slot, key: EpochKey)]? {
    guard manifest.isSealed || !slots.isEmpty else {
      guard !settings.expectsSealed else { throw KitError.notSealed(place: place) }
      return nil
    }
    creation.isSealed = true
    guard let password = try settings.password?(.open(place: place)) else {
      creation.isRequest = true
      return nil
    }
    let (opened, ring) = try Unlock.keys(password, slots, database: manifest.database, place: place)
    creation.keys = ring.all
    return opened
  }

  /// Takes in the bundles in an order that fits, as far as it goes.
  private func takeIn(_ source: CloneBundles, _ result: inout ClonedBundles) throws {
    var open: [BundleImport] = []
    for (path, name) in source.bundles {
      // Why one could not be read was found out before.
      if let one = try? BundleImport(.file(path: path), named: name, in: self) { open.append(one) }
    }
    while let at = try open.firstIndex(where: { try $0.missing().isEmpty }) {
      let bundle = open.remove(at: at)
      do {
        if try source.folder != nil && bundle.isKnown() && !source.restores { continue }
        let done = try bundle.run(assets: source.assets, restores: source.restores)
        result.exchange.add(done.exchange)
        result.assets += done.assets
        result.restored.add(done.restored)
      } catch let error as TransferError {
        result.failures.append(error)
      }
    }
    for bundle in open {
      result.failures.append(TransferError.baseMissing(name: bundle.name, try bundle.missing()))
    }
    _ = try settleImport(merges: false)
  }

  /// Leaves our wish to be let in, as a bundle that has nothing else.
  private func ask(in folder: ExchangeFolder) throws -> Bool {
    let plan = try plan(behind: Reach())
    guard plan.onlyAsks else { return false }
    let file = try BundleName.next(
      contentType: contentType(), label: name(), isFull: false, .zstd, taken: folder.names())
    return
      (try? export(
        plan, .zstd, to: Path.join(folder.path, file), volumeSize: nil, replace: false, verifies: false)) != nil
  }
}

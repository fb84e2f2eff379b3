import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct CloneBundles {
  package var bundles: [(path: String, name: String)]
  package var folder: BundleDirectory?
  package var place: String
  package var restores = false
  package var temporary = "/tmp"

  package init(bundles: [(path: String, name: String)], folder: BundleDirectory?, place: String) {
    self.bundles = bundles
    self.folder = folder
    self.place = place
  }
}

extension Database {
  /// Creates a new instance of a database from bundles. If nothing can be imported, no `.sea` folder remains.
  /// - Throws: `databaseExists`, `folderInUse`, `TransferError`, `badPassword`.
  package static func clone(
    _ source: CloneBundles, to folder: String, name: String, assets: AssetFilter? = nil, isReadOnly: Bool = false,
    _ settings: Settings
  ) throws -> Cloned {
    _ = try Clone.check(folder)
    let (first, slots, unreadable) = try readManifests(of: source)
    let clone = Clone(info: first.info, slots: slots, place: source.place)
    let made = try clone.make(
      in: folder, name: name, settings,
      ask: { database in try source.folder.map { try database.bundles.ask(in: $0) } ?? false }
    ) { database in
      var result = Cloned(database: database)
      result.failures = unreadable.map(\.error)
      try database.bundles.importBundles(source, reported: unreadable.map(\.name), assets ?? .all, &result)
      guard result.exchange.pulled > 0 || result.failures.isEmpty else { throw result.failures[0] }
      // A clone that lacks the creator's first block will be discarded, so it must not leave a summary for other
      // instances.
      if let folder = source.folder, !isReadOnly, try database.folder.hasFounder() {
        try folder.recordUse(of: database.bundles, writing: nil)
      }
      return result
    }
    return made.result ?? Cloned(database: made.database, failures: unreadable.map(\.error))
  }

  static func readManifests(
    of source: CloneBundles
  ) throws -> (first: BundleManifest, slots: [Slot], unreadable: [(name: String, error: any Error)]) {
    var first: BundleManifest?
    var slots: [Slot] = []
    var unreadable: [(name: String, error: any Error)] = []
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
        unreadable.append((name, error))
      }
    }
    guard let first else { throw unreadable.first?.error ?? TransferError.noBundles(path: source.place) }
    return (first, slots, unreadable)
  }
}

extension Bundles {
  /// Imports as many of the bundles as possible, in an order that satisfies their dependencies.
  /// - Parameter reported: the names of bundles that have already been reported as unreadable.
  fileprivate func importBundles(
    _ source: CloneBundles, reported: [String], _ assets: AssetFilter, _ result: inout Cloned
  ) throws {
    var open: [BundleImport] = []
    var imported: [BundleImport] = []
    for (path, name) in source.bundles where !reported.contains(name) {
      do {
        open.append(try BundleFault.named(name) { try BundleImport(.file(path: path), named: name, in: self) })
      } catch let error as TransferError {
        result.failures.append(error)
      }
    }
    while let at = try open.firstIndex(where: { try $0.missing().isEmpty }) {
      let bundle = open.remove(at: at)
      do {
        if try source.folder != nil && bundle.isKnown(assets) && !source.restores { continue }
        let done = try bundle.run(assets: assets, restores: source.restores)
        imported.append(bundle)
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
    _ = try followUp(merges: false)
    result.exchange.problems += try withheld(imported)
  }

  fileprivate func ask(in place: BundleDirectory) throws -> Bool {
    let plan = try plan(behind: VersionVector())
    guard plan.onlyAsks else { return false }
    let file = try BundleName.next(
      contentType: folder.contentType(), label: folder.name(), isFull: false, .zstd, avoiding: place.usedNames())
    return
      (try? export(
        plan, .zstd, to: Path.join(place.location, file), volumeSize: nil, replace: false, verifies: false)) != nil
  }
}

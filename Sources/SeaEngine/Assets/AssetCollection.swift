import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Collects garbage in `.sea`: files left over by commands that crashed, and asset files that no revision references.
package struct AssetCollection {
  let assets: Assets
  private var files: AssetFolder { assets.files }
  private var store: Store { assets.store }
  private var folder: SeaFolder { assets.folder }

  package func forEachUnreferenced(_ body: (AssetPlace, Int64) throws -> Void) throws {
    try files.forEachAsset { place, size in
      if try !store.assets.isNamed(place) { try body(place, size) }
    }
  }

  /// Removes files left over by commands that crashed and, on request, unreferenced asset files.
  ///
  /// Unreferenced files created by this instance are removed. Files of other instances are removed only if enough
  /// containers have the same bytes. Files of running commands are kept.
  /// - Parameters:
  ///   - origins: the containers to search for the same bytes; nil to keep all asset files.
  ///   - least: the number of containers that must have the same bytes.
  package func collect(_ origins: [AssetOrigin]?, least: Int, dryRun: Bool) throws -> GCResult {
    let safe = try origins.map { origins in
      var foreign: [AssetPlace] = []
      try forEachUnreferenced { place, _ in if try !isOurOwn(place) { foreign.append(place) } }
      return try Set(foreign.filter { try hasSameBytes($0, least, in: origins) })
    }
    // A process that adds a file holds the lock until the records that reference it are written.
    if dryRun { return try collect(safe, dryRun: true) }
    return try store.locked {
      if safe != nil { try assets.author.ensureOnlyWriter() }
      return try collect(safe, dryRun: false)
    }
  }

  /// - Parameter safe: the files of other instances that may be removed; nil to keep all asset files.
  private func collect(_ safe: Set<AssetPlace>?, dryRun: Bool) throws -> GCResult {
    var result = GCResult()
    (result.temporary.files, result.temporary.bytes) = try TemporaryFolder.collect(
      in: folder.absolutePath(), named: SeaFolder.temporaryName, removes: !dryRun)
    try files.forEachDraft { size, _, isAlive in
      guard !isAlive else { return false }
      result.temporary.add(size)
      return !dryRun
    }
    if let safe {
      var gone: [AssetPlace] = []
      try forEachUnreferenced { place, size in
        guard try safe.contains(place) || isOurOwn(place) else { return result.kept.add(size) }
        result.assets.add(size)
        gone.append(place)
      }
      if !dryRun { try assets.remove(gone) }
    }
    result.store = try dryRun ? store.disk.spareBytes() : store.disk.compact()
    return result
  }

  /// Returns whether this instance created the file. If so, the local database contains every record that could
  /// reference it.
  private func isOurOwn(_ place: AssetPlace) throws -> Bool {
    try place.instance == folder.instance && Int64(place.index) < store.assets.reservedAssets(folder.instance)
  }

  private func hasSameBytes(_ place: AssetPlace, _ least: Int, in origins: [AssetOrigin]) throws -> Bool {
    guard let size = try files.assetSize(place), let ours = try files.digest(of: place) else { return false }
    var count = 0
    var met = Set([try files.assetIdentity(place)].compactMap { $0 })
    for origin in origins where count < least {
      do {
        guard try origin.source.assetSize(place) == size, try origin.source.digest(of: place) == ours else { continue }
        guard let file = try origin.source.assetIdentity(place) else {
          count += 1
          continue
        }
        if met.insert(file).inserted { count += 1 }
      } catch is ContainerError {}
    }
    return count >= least
  }
}

extension Assets {
  package var collection: AssetCollection { AssetCollection(assets: self) }
}

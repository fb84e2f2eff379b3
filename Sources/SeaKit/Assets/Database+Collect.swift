import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What was taken away because nothing needs it.
package struct Collected: Sendable {
  package struct Sum: Sendable {
    package var files = 0
    package var bytes: Int64 = 0

    mutating func add(_ size: Int64) {
      files += 1
      bytes += size
    }
  }

  /// Left by commands that died.
  package var temporary = Sum()
  /// Files of assets that no revision names.
  package var assets = Sum()
  /// Such files that stay, because no good copy of them is known.
  package var kept = Sum()
  /// Bytes that the store gave back.
  package var store: Int64 = 0

  package var bytes: Int64 { temporary.bytes + assets.bytes + store }
}

extension Database {
  /// Visits the files of assets here that no revision names.
  package func forEachUnreferenced(_ body: (AssetPlace, Int64) throws -> Void) throws {
    try assetFolder.forEachAsset { place, size in
      if try !store.assets.isNamed(place) { try body(place, size) }
    }
  }

  /// Takes away what commands have left that died, and, if asked to, files of assets that no revision names.
  ///
  /// Of the latter those go that this instance made itself and never told anybody of, and those of others of which
  /// enough containers have the same bytes. What a command is just making stays.
  /// - Parameters:
  ///   - copies: where the same bytes may be; nil to leave assets alone.
  ///   - least: how many containers must have them.
  package func collect(_ copies: AssetCopies?, least: Int, dryRun: Bool) throws -> Collected {
    var result = Collected()
    var safe: Set<AssetPlace> = []
    if let copies {
      var foreign: [AssetPlace] = []
      try forEachUnreferenced { place, _ in if try !isOurOwn(place) { foreign.append(place) } }
      for place in foreign where try hasSameBytes(place, least, in: copies) { safe.insert(place) }
    }
    // Who puts a file in place holds the lock until its records are written.
    if !dryRun {
      if copies == nil { try store.takeLock() } else { try beSole() }
    }
    defer { if !dryRun { store.unlock() } }
    (result.temporary.files, result.temporary.bytes) = try TemporaryFolder.collect(
      in: absolutePath(), named: "tmp", removes: !dryRun)
    try assetFolder.forEachDraft { size, _, isAlive in
      guard !isAlive else { return false }
      result.temporary.add(size)
      return !dryRun
    }
    if copies != nil {
      var gone: [AssetPlace] = []
      try forEachUnreferenced { place, size in
        guard try safe.contains(place) || isOurOwn(place) else { return result.kept.add(size) }
        result.assets.add(size)
        gone.append(place)
      }
      if !dryRun, !gone.isEmpty {
        try store.write { for place in gone { try store.assets.forgetStored(place) } }
        for place in gone { try assetFolder.remove(place) }
      }
    }
    result.store = try dryRun ? store.spareBytes() : store.compact()
    return result
  }

  /// Whether this instance made the file, and this database was there: then it knows every record that could name it.
  private func isOurOwn(_ place: AssetPlace) throws -> Bool {
    try place.instance == instance && Int64(place.index) < store.assets.reservedAssets(instance)
  }

  private func hasSameBytes(_ place: AssetPlace, _ least: Int, in copies: AssetCopies) throws -> Bool {
    let size = try assetFolder.assetSize(place)
    let ours = try digest(of: place, in: assetFolder)
    var count = 0
    for origin in copies.origins where count < least {
      do {
        guard try origin.source.assetSize(place) == size else { continue }
        if let ours, try digest(of: place, in: origin.source) == ours { count += 1 }
      } catch is ContainerError {
        // As good as none.
      }
    }
    return count >= least
  }

  private func digest(of place: AssetPlace, in source: AssetSource) throws -> Digest? {
    var hash = SHA256()
    let isThere = try source.readAsset(place, from: 0) { bytes in
      hash.update(bytes)
      return true
    }
    return isThere ? hash.digest() : nil
  }
}

import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Asset files from bundles, unpacked to `.sea/tmp`. They are deleted when this object is deallocated.
package final class BundleAssets {
  package fileprivate(set) var origins: [AssetOrigin] = []
  private var folders: [TemporaryFolder] = []

  fileprivate func add(_ folder: TemporaryFolder, named name: String) {
    folders.append(folder)
    origins.append(AssetOrigin(name: name, source: DirectoryContainer(folder.path), isAttached: false))
  }

  deinit { for folder in folders { folder.remove() } }
}

extension Bundles {
  /// Unpacks the wanted asset files from bundles of this database. Each file is unpacked only once. Verifies each
  /// bundle completely.
  /// - Throws: `TransferError.bundle`, `mismatch`.
  package func bundleAssets(
    of bundles: [(path: String, name: String)], wanted assets: [AssetRow]
  ) throws -> BundleAssets {
    var wanted: Set<AssetPlace> = []
    for asset in assets {
      for row in try store.assets.assets(size: asset.size, digest: asset.digest)
      where self.assets.isPlausible(row) && row.extent.count <= ExportPlan.mostPlaces {
        wanted.formUnion(row.extent.places)
      }
    }
    let found = BundleAssets()
    for bundle in bundles where !wanted.isEmpty {
      let taken = try BundleFault.named(bundle.name) { () throws -> Set<AssetPlace> in
        let reader = try BundleReader(.file(path: bundle.path), temporary: folder.path)
        let manifest = try reader.manifest()
        try check(manifest, named: bundle.name)
        guard manifest.assets > 0 else { return [] }
        let unpacked = try folder.temporaryFolder()
        found.add(unpacked, named: bundle.name)
        let meter = WorkMeter(folder.settings.report, .unpacking, bundle.name, of: manifest.bytes)
        var taken: Set<AssetPlace> = []
        _ = try reader.unpack(into: Directory(unpacked.path), isWhole: false) { member in
          meter?.add(Int(member.size))
          guard case .asset(let place) = member.path, wanted.contains(place) else { return false }
          taken.insert(place)
          return true
        }
        return taken
      }
      wanted.subtract(taken)
    }
    return found
  }
}

import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension ExportPlan {
  struct Asset {
    var place: AssetPlace
    var size: Int64
    var sha256: Digest
    /// Whether compression would make the file smaller.
    var shrinks: Bool
  }

  /// The files of larger extents (over 64 TiB) are only counted, not listed.
  static let mostPlaces = 1 << 16

  /// Returns the number of different places in the extents.
  static func countPlaces(in extents: Set<AssetExtent>, _ isCounted: (AssetPlace) -> Bool) -> Int64 {
    var places: Set<AssetPlace> = []
    var count: Int64 = 0
    for extent in extents {
      if extent.count > mostPlaces {
        count += Int64(extent.count)
      } else {
        places.formUnion(extent.places.filter(isCounted))
      }
    }
    return count + Int64(places.count)
  }
}

extension Bundles {
  /// Adds the local asset files that blocks in the plan reference.
  /// - Parameter there: the files that the receiver already has.
  func addAssets(to plan: inout ExportPlan, _ filter: AssetFilter, except there: Set<AssetPlace>) throws {
    guard !plan.sections.isEmpty else { return }
    var found: [AssetPlace: ExportPlan.Asset] = [:]
    var absent: Set<AssetExtent> = []
    try forEachAsset(of: plan.sections, isAll: plan.isFull) { asset in
      // A block can claim any number of files, but implausible assets are never stored.
      guard assets.isPlausible(asset) else { return }
      if try !add(asset, to: &found, filter, except: there, &plan.leftOut) { absent.insert(asset.extent) }
    }
    // Unreadable blocks may reference any asset, so all files are added.
    if try folder.isSealed(), !filter.isNone, try !store.blocks.blocks(.unread).isEmpty {
      try assets.files.forEachAsset { place, _ in
        guard found[place] == nil, !there.contains(place) else { return }
        found[place] = try self.file(at: place, shrinks: false)
      }
    }
    plan.assets = found.values.sorted { $0.place < $1.place }
    plan.manifest.absentAssets = ExportPlan.countPlaces(in: absent) { found[$0] == nil && !there.contains($0) }
  }

  private func add(
    _ asset: AssetRow, to found: inout [AssetPlace: ExportPlan.Asset], _ filter: AssetFilter,
    except there: Set<AssetPlace>, _ leftOut: inout Set<AssetPlace>
  ) throws -> Bool {
    guard let here = try assets.here(asset) else { return false }
    let lacking = here.extent.places.filter { found[$0] == nil && !there.contains($0) }
    guard try assets.matches(asset, filter, types: typeNames(of: asset)) else {
      leftOut.formUnion(lacking)
      return false
    }
    for place in lacking {
      found[place] = try file(at: place, shrinks: try !folder.isSealed() && !MediaKind.isCompressed(asset.mime))
    }
    return true
  }

  /// Adds asset files that earlier bundles reference but do not contain.
  func addLeftOut(
    to plan: inout ExportPlan, _ filter: AssetFilter, except there: Set<AssetPlace>, by runs: [BlockRun]
  ) throws {
    guard !runs.isEmpty else { return }
    let known = there.union(plan.assets.map(\.place))
    var candidates: Set<AssetExtent> = []
    try assets.forEach { asset in
      guard assets.isPlausible(asset), let here = try assets.here(asset) else { return }
      if !here.extent.places.allSatisfy(known.contains) { candidates.insert(asset.extent) }
    }
    // Usually, no asset qualifies, so no block has to be read.
    guard !candidates.isEmpty else { return }
    var found: [AssetPlace: ExportPlan.Asset] = [:]
    try forEachAsset(of: runs, isAll: false) { asset in
      guard candidates.contains(asset.extent) else { return }
      _ = try add(asset, to: &found, filter, except: known, &plan.leftOut)
    }
    guard !found.isEmpty else { return }
    plan.assets = (plan.assets + found.values).sorted { $0.place < $1.place }
    // The receiver first needs the blocks that reference these files.
    let others = Dictionary(grouping: runs, by: \.branch).filter { branch, _ in
      !plan.sections.contains { $0.branch == branch }
    }
    for (branch, runs) in others {
      guard let last = try store.blocks.block(branch, runs.map(\.last).max() ?? 0) else { continue }
      plan.manifest.base.append(try base(branch, last))
    }
    plan.manifest.base.sort { $0.branch < $1.branch }
  }

  private func typeNames(of asset: AssetRow) throws -> [String] {
    try store.assets.types(ofAsset: asset.key).compactMap { $0 }
  }

  /// Returns a file with its recorded digest. If no digest is recorded, reads the file to compute it.
  private func file(at place: AssetPlace, shrinks: Bool) throws -> ExportPlan.Asset? {
    guard let size = try assets.files.assetSize(place) else { return nil }
    if let known = try store.assets.stored(place), known.size == size {
      return ExportPlan.Asset(place: place, size: size, sha256: known.digest, shrinks: shrinks)
    }
    var hash = SHA256()
    try assets.files.readAsset(place, from: 0) { bytes in
      hash.update(bytes)
      return true
    }
    return ExportPlan.Asset(place: place, size: size, sha256: hash.digest(), shrinks: shrinks)
  }

  /// Calls `body` with the assets that the blocks in the runs reference, possibly more than once.
  /// - Parameter isAll: whether the runs contain all blocks.
  private func forEachAsset(
    of runs: [BlockRun], isAll: Bool, _ body: (AssetRow) throws -> Void
  ) throws {
    if isAll { return try assets.forEach(body) }
    var seen: Set<AssetExtent> = []
    for section in runs {
      for index in section.first...section.last {
        guard let row = try store.blocks.block(section.branch, index),
          row.state != .unread, row.changes > 0, let clear = try store.content.clearBytes(of: row)
        else { continue }
        for extent in extents(in: clear) where seen.insert(extent).inserted {
          for asset in try store.assets.assets(at: AssetPlace(instance: extent.instance, index: extent.first))
          where asset.extent == extent {
            try body(asset)
          }
        }
      }
    }
  }

  private func extents(in block: [UInt8]) -> [AssetExtent] {
    block.withUnsafeBytes { bytes in
      guard contains("$asset", in: bytes), let payload = try? BlockReader.payload(ofKept: bytes) else { return [] }
      let content = UnsafeBufferPointer(rebasing: bytes.assumingMemoryBound(to: UInt8.self)[BlockHeader.size...])
      var extents: [AssetExtent] = []
      for change in payload.changes {
        guard let body = change.body else { continue }
        BodyAssets.forEach(in: UnsafeBufferPointer(rebasing: content[body])) { reference in
          if let extent = reference.extent { extents.append(extent) }
        }
      }
      return extents
    }
  }
}

enum MediaKind {
  static func isCompressed(_ mime: String) -> Bool {
    let mime = mime.lowercased()
    if ["image/", "audio/", "video/"].contains(where: mime.hasPrefix) {
      return !["image/svg+xml", "image/bmp", "image/x-ms-bmp", "image/tiff", "audio/x-wav", "audio/wav"].contains(mime)
    }
    return ["zip", "gzip", "zstd", "xz", "bzip2", "7z", "x-rar"].contains { mime.hasSuffix($0) }
      || mime.hasPrefix("application/vnd.openxmlformats")
  }
}

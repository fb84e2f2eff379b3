import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct Exported: Sendable {
  /// The identity of the bundle: the SHA-256 of its manifest.
  package var digest: Digest
  /// The total size of the files in bytes.
  package var size: Int64
  /// The names of the files; empty for a stream.
  package var files: [String] = []
  /// Whether the bundle was read back from the medium and found to be correct.
  package var isVerified = false

  package init(digest: Digest, size: Int64, files: [String] = [], isVerified: Bool = false) {
    self.digest = digest
    self.size = size
    self.files = files
    self.isVerified = isVerified
  }
}

extension ExportPlan {
  /// Returns a lower bound for the size of the bundle.
  package func leastSize(_ compression: BundleCompression) -> Int64 {
    let blocks = blockBytes + Int64(front.count + back.count) * 1024
    guard compression != .none, !manifest.isSealed else {
      return assets.reduce(blocks) { $0 + $1.size }
    }
    return assets.reduce(blocks / 20) { $0 + ($1.shrinks ? $1.size / 20 : $1.size) }
  }

  package var assetCount: Int { assets.count }
  package var assetBytes: Int64 { assets.reduce(0) { $0 + $1.size } }
}

extension Bundles {
  /// - Returns: the SHA-256 of the manifest.
  package func export(
    _ plan: ExportPlan, _ compression: BundleCompression, named name: String,
    to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Digest {
    let meter = WorkMeter(folder.settings.report, .packing, name, of: plan.blockBytes + plan.assetBytes)
    return try BundleFault.named(name) {
      // Blocks must be durable locally before other instances can receive them.
      try store.disk.makeDurable()
      return try store.snapshot {
        let content = ExportContent(assets, plan, meter)
        let writer = try BundleWriter(compression, temporary: folder.path, sink: sink)
        return try writer.write(plan.manifest, members: content.forEachMember, content: content.content)
      }
    }
  }

  /// Writes a bundle as a file or as several volumes. A file gets its name only after it has been written to the medium
  /// completely.
  /// - Parameters:
  ///   - volumeSize: the maximum size of a volume in bytes.
  ///   - verifies: whether to read the bundle back from the medium before giving it its name.
  package func export(
    _ plan: ExportPlan, _ compression: BundleCompression, to path: String, volumeSize: Int64?, replace: Bool,
    verifies: Bool
  ) throws -> Exported {
    let name = Path.name(path)
    return try BundleFault.named(name) {
      try BundleFile.checkSpace(plan.leastSize(compression), in: Path.parent(path))
      let file = try BundleFile(path, volumeSize: volumeSize, followsLinks: replace)
      let digest = try export(plan, compression, named: name) {
        try self.folder.settings.checkStop()
        try file.write($0)
      }
      try file.finish()
      if verifies {
        folder.settings.report?(Work(.verifying, name, done: 0, of: file.size))
        try file.verify(digest, temporary: folder.path)
      }
      let files = file.names
      try file.commit(replace: replace)
      return Exported(digest: digest, size: file.size, files: files, isVerified: verifies)
    }
  }
}

/// Provides the files of a bundle and their bytes from the store. Repeated calls return the same content.
package final class ExportContent {
  private let assets: Assets
  private let plan: ExportPlan
  private var digests: [BundlePath: (size: Int64, sha256: Digest)] = [:]
  private var small: [BundlePath: [UInt8]] = [:]

  private let meter: WorkMeter?

  package init(_ assets: Assets, _ plan: ExportPlan, _ meter: WorkMeter? = nil) {
    self.assets = assets
    self.meter = meter
    self.plan = plan
    for one in plan.front + plan.back { small[one.path] = one.bytes }
  }

  package func forEachMember(_ each: (BundleMember) throws -> Void) throws {
    for one in plan.front { try each(member(one)) }
    for section in plan.sections { try forEachMember(of: section, each) }
    for asset in plan.assets {
      try each(BundleMember(path: .asset(asset.place), size: asset.size, sha256: asset.sha256))
    }
    for one in plan.back { try each(member(one)) }
  }

  private func member(_ one: ExportPlan.Small) -> BundleMember {
    BundleMember(path: one.path, size: Int64(one.bytes.count), sha256: SHA256.hash(one.bytes))
  }

  private func forEachMember(of section: BlockRun, _ each: (BundleMember) throws -> Void) throws {
    var next = section.first
    while next <= section.last {
      let leaf = Layout.Leaf(containing: next)
      let isWhole = next == leaf.first && leaf.last <= section.last && leaf.last < .max
      if isWhole, let folded = try folded(leaf, of: section.branch) {
        try each(folded)
      } else {
        for index in next...min(leaf.last, section.last) { try each(single(section.branch, index)) }
      }
      guard let after = leaf.next else { return }
      next = after.first
    }
  }

  private func row(_ chain: BranchID, _ index: UInt32) throws -> BlockRow {
    guard let row = try assets.store.blocks.block(chain, index) else {
      throw StoreError.damaged("block \(chain)/\(index)")
    }
    return row
  }

  private func single(_ chain: BranchID, _ index: UInt32) throws -> BundleMember {
    let row = try row(chain, index)
    let bytes = try assets.store.content.intactBytes(of: row)
    return BundleMember(path: .block(chain, index), size: Int64(row.size), sha256: SHA256.hash(bytes))
  }

  private func folded(_ leaf: Layout.Leaf, of chain: BranchID) throws -> BundleMember? {
    let path = BundlePath.folded(chain, leaf)
    guard path.fits else { return nil }
    if let known = digests[path] {
      return known.size < 0 ? nil : BundleMember(path: path, size: known.size, sha256: known.sha256)
    }
    var size = 0
    for index in leaf.first...leaf.last { size += try row(chain, index).size }
    guard size <= Layout.largestFile else {
      digests[path] = (-1, .zero)
      return nil
    }
    var hash = SHA256()
    for index in leaf.first...leaf.last { hash.update(try assets.store.content.intactBytes(of: row(chain, index))) }
    digests[path] = (Int64(size), hash.digest())
    return BundleMember(path: path, size: Int64(size), sha256: digests[path]!.sha256)
  }

  package func content(_ member: BundleMember, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    func give(_ bytes: UnsafeRawBufferPointer) throws {
      try sink(bytes)
      meter?.add(bytes.count)
    }
    switch member.path {
    case .block(let chain, let index): try assets.store.content.bytes(of: row(chain, index)).withUnsafeBytes(give)
    case .folded(let chain, let leaf):
      for index in leaf.first...leaf.last {
        try assets.store.content.bytes(of: row(chain, index)).withUnsafeBytes(give)
      }
    case .asset(let place):
      try assets.files.readAsset(place, from: 0) { bytes in
        try give(bytes)
        return true
      }
    default: try (small[member.path] ?? []).withUnsafeBytes(give)
    }
  }
}

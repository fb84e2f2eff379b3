import SeaContainer
import SeaCore
import SeaStore

/// The members of a bundle and their bytes, from the store. It gives the same as often as it is asked.
package final class ExportContent {
  private let assets: Assets
  private let plan: ExportPlan
  /// Those of folded files, once they were worked out.
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
    // The hash of a removed block is not that of its bytes.
    let isShort = row.size <= BlockHeader.size + Digest.size
    let digest = try isShort ? SHA256.hash(assets.store.content.bytes(of: row)) : row.digest
    return BundleMember(path: .block(chain, index), size: Int64(row.size), sha256: digest)
  }

  /// Nil if the blocks are too much for one file.
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

  /// The bytes of a member, in pieces.
  package func content(_ member: BundleMember, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    func give(_ bytes: UnsafeRawBufferPointer) throws {
      try take(bytes)
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

import SeaContainer
import SeaCore
import SeaStore

extension Bundles {
  /// Calls `body` first with the blocks that a bundle's receiver would still lack, and then with the blocks that only
  /// the bundle has.
  /// - Throws: `TransferError.bundle`; `mismatch` for a bundle of another database.
  package func forEachMissing(
    in source: BundleSource, named name: String, _ body: @escaping (MissingBlock) throws -> Bool
  ) throws {
    try BundleFault.named(name) { () throws -> Void in
      let reader = try BundleReader(source, temporary: folder.path)
      let manifest = try reader.manifest()
      try check(manifest, named: name)
      var frontier = VersionVector()
      for base in manifest.base {
        try store.branches.extend(&frontier, to: base.block)
      }
      let meter = WorkMeter(folder.settings.report, .verifying, name, of: manifest.bytes)
      let known = BundleNews(store, meter) { _, _, row in
        if let row { try self.store.branches.extend(&frontier, to: row) }
        return true
      }
      _ = try reader.read(known)
      for run in try frontier.missing(of: store.branches.runs()) {
        guard try exchange.forEachMissing(of: run, body) else { return }
      }
      let news = BundleNews(store) { place, bytes, row in
        guard row == nil else { return true }
        let changes = self.exchange.changes(in: bytes, of: place.instance)
        return try body(MissingBlock(isHere: false, chain: place.branch, index: place.index, changes: changes))
      }
      do { _ = try BundleReader(source, temporary: folder.path).read(news) } catch is BundleNews.Enough {}
    }
  }
}

private final class BundleNews: BundleVisitor {
  struct Enough: Error {}
  typealias Body = (BlockRef, UnsafeRawBufferPointer, BlockRow?) throws -> Bool

  private let store: Store
  private let meter: WorkMeter?
  private let body: Body
  private var splitter = BlockSplitter()
  private var place: (chain: BranchID, next: UInt32)?

  init(_ store: Store, _ meter: WorkMeter? = nil, _ body: @escaping Body) {
    self.store = store
    self.meter = meter
    self.body = body
  }

  func begin(_ member: BundleMember) throws {
    splitter = BlockSplitter()
    place = member.path.blocks.map { ($0.chain, $0.first) }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    meter?.add(bytes.count)
    guard let (chain, first) = place else { return }
    var next = first
    let isWanted = try splitter.add(bytes) { bytes in
      let block = BlockRef(chain, index: next, digest: try BlockHeader(bytes).hash)
      next += 1
      return try body(block, bytes, store.blocks.block(block))
    }
    place = (chain, next)
    if !isWanted { throw Enough() }
  }

  func end(_ member: BundleMember) {}
}

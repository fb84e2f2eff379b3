import SeaContainer
import SeaCore
import SeaStore

extension Bundles {
  /// The blocks that somebody lacks who has taken in a bundle, then those of the bundle that are not here, until `body`
  /// returns false.
  /// - Throws: `TransferError.bundle`; `mismatch` if it is of another database.
  package func forEachMissing(
    in source: BundleSource, named name: String, _ body: (MissingBlock) throws -> Bool
  ) throws {
    try BundleFault.named(name) { () throws -> Void in
      let reader = try BundleReader(source, temporary: folder.path)
      let manifest = try reader.manifest()
      try check(manifest, named: name)
      var frontier = Frontier()
      for base in manifest.base {
        try store.blocks.extend(&frontier, to: base.block)
      }
      let meter = WorkMeter(folder.settings.report, .verifying, name, of: manifest.bytes)
      let known = BundleNews(store, meter) { isNew, block in
        if !isNew,
          let row = try self.store.blocks.block(BlockRef(block.chain, index: block.index, digest: block.digest))
        {
          try self.store.blocks.extend(&frontier, to: row)
        }
        return true
      }
      _ = try reader.read(known)
      for run in try frontier.missing(of: store.blocks.runs()) {
        guard try exchange.forEachMissing(of: run, body) else { return }
      }
      try withoutActuallyEscaping(body) { (body) throws -> Void in
        let news = BundleNews(store) { isNew, block in
          guard isNew else { return true }
          let changes = block.bytes.withUnsafeBytes { self.exchange.changes(in: $0, of: block.instance) }
          return try body(MissingBlock(isHere: false, chain: block.chain, index: block.index, changes: changes))
        }
        do { _ = try BundleReader(source, temporary: folder.path).read(news) } catch is BundleNews.Enough {}
      }
    }
  }
}

/// Tells of each block of a bundle whether it is here.
private final class BundleNews: BundleVisitor {
  struct Enough: Error {}

  struct Block {
    let chain: BranchID
    let index: UInt32
    let digest: Digest
    /// Of a new one only.
    let bytes: [UInt8]
    var instance: UUID { chain.instance }
  }

  private let store: Store
  private let meter: WorkMeter?
  private let body: (_ isNew: Bool, Block) throws -> Bool
  private var splitter = BlockSplitter()
  private var place: (chain: BranchID, next: UInt32)?

  init(_ store: Store, _ meter: WorkMeter? = nil, _ body: @escaping (_ isNew: Bool, Block) throws -> Bool) {
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
      let index = next
      next += 1
      let digest = try BlockHeader(bytes).digest(of: bytes)
      let isNew = try store.blocks.block(BlockRef(chain, index: index, digest: digest)) == nil
      return try body(
        isNew, Block(chain: chain, index: index, digest: digest, bytes: isNew ? Array(bytes) : []))
    }
    place = (chain, next)
    if !isWanted { throw Enough() }
  }

  func end(_ member: BundleMember) {}
}

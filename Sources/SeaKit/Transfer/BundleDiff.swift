import SeaContainer
import SeaCore
import SeaStore

extension Database {
  /// The blocks that somebody lacks who has taken in a bundle, then those of the bundle that are not here, until `body`
  /// returns false.
  /// - Throws: `TransferError.bundle`; `mismatch` if it is of another database.
  package func forEachMissing(
    in source: BundleSource, named name: String, _ body: (Missing) throws -> Bool
  ) throws {
    try BundleFault.named(name) { () throws -> Void in
      let reader = try BundleReader(source, temporary: path)
      let manifest = try reader.manifest()
      try check(manifest, named: name)
      var reach = Reach()
      for head in manifest.base + manifest.heads {
        if let row = try row(of: head) { try extend(&reach, to: row) }
      }
      for (chain, first, last) in try ownBranches() {
        var index = reach.last[chain].map { $0 + 1 } ?? first
        while index <= last, let row = try store.block(chain.instance, fork: chain.fork, index) {
          let changes = try store.bytes(of: row).withUnsafeBytes { self.changes(in: $0, of: chain.instance) }
          guard try body(Missing(isHere: true, chain: chain, index: index, changes: changes)) else { return }
          index += 1
        }
      }
      try withoutActuallyEscaping(body) { (body) throws -> Void in
        let visitor = BundleNews(self, body)
        do { _ = try reader.read(visitor) } catch is BundleNews.Enough {}
      }
    }
  }
}

/// Finds the blocks of a bundle that are not here.
private final class BundleNews: BundleVisitor {
  struct Enough: Error {}

  private let database: Database
  private let body: (Database.Missing) throws -> Bool
  private var splitter = BlockSplitter()
  private var place: (chain: ChainName, next: UInt32)?

  init(_ database: Database, _ body: @escaping (Database.Missing) throws -> Bool) {
    self.database = database
    self.body = body
  }

  func begin(_ member: BundleMember) throws {
    splitter = BlockSplitter()
    place = member.path.blocks.map { ($0.chain, $0.first) }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    guard let (chain, first) = place else { return }
    var next = first
    let isWanted = try splitter.add(bytes) { block in
      let index = next
      next += 1
      let digest = try Database.digest(of: block, BlockHeader(block))
      guard try database.store.block(chain.instance, index, digest: digest) == nil else { return true }
      let changes = database.changes(in: block, of: chain.instance)
      return try body(Database.Missing(isHere: false, chain: chain, index: index, changes: changes))
    }
    place = (chain, next)
    if !isWanted { throw Enough() }
  }

  func end(_ member: BundleMember) {}
}

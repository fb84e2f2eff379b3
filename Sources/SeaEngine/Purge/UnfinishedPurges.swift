import SeaCore
import SeaStore

/// Blocks that this database tried to purge but could not. The purge is incomplete until they are gone.
struct UnfinishedPurges {
  private static let key = "purgeStays"
  private static let most = 10_000

  private let store: Store
  private(set) var blocks: [BlockRow] = []
  private(set) var hasMore = false

  init(_ store: Store) throws {
    self.store = store
    var reader = try ByteReader(store.metaBlob(UnfinishedPurges.key) ?? [])
    hasMore = reader.byte() == 1
    while !reader.isAtEnd {
      guard let instance = reader.uuid(), let index = reader.uint32(), let digest = reader.digest() else {
        throw StoreError.damaged("meta")
      }
      guard let row = try store.blocks.block(BlockRef(instance: instance, index: index, digest: digest)),
        !row.isRemoved
      else { continue }
      blocks.append(row)
    }
  }

  mutating func add(_ plan: PurgePlan) throws {
    let known = Set(blocks.map(\.digest))
    let all = blocks + plan.obstacles.map(\.row).filter { !known.contains($0.digest) }
    if case .before = plan.goal { hasMore = false }
    hasMore = hasMore || all.count > UnfinishedPurges.most
    guard !all.isEmpty || hasMore || !known.isEmpty else { return }
    blocks = Array(all.prefix(UnfinishedPurges.most))
    var writer = ByteWriter()
    writer.byte(hasMore ? 1 : 0)
    for row in blocks {
      row.instance.withBytes { writer.append($0) }
      writer.uint32(row.index)
      writer.append(row.digest.bytes)
    }
    try store.setMeta(UnfinishedPurges.key, .blob(writer.array()))
  }
}

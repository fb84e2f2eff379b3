import SeaContainer
import SeaCore
import SeaEngine
import SeaTestSupport

extension Vector {
  /// The blocks of a merge vector, in chains of artificial instances.
  func container(_ database: UUID) throws -> MemoryContainer {
    let container = MemoryContainer()
    try container.create(ContainerInfo(container: .random(), database: database, contentType: "org.example.data"))
    var settings = headers.filter { $0.key.hasPrefix("merge.") }.sorted { $0.key < $1.key }
      .map { ControlEntry.shared(key: $0.key, value: $0.value) }
    let blocks = self["blocks"].split(separator: ", ").map { $0.split(separator: " ") }
    try bytes.withUnsafeBufferPointer { buffer in
      var cursor = CBORCursor(buffer)
      let count = try cursor.count(4)
      precondition(count == blocks.count)
      let purged = Set(self["purged"].split(separator: " ").map { Int($0)! })
      var chains: [Substring: [(lamport: UInt32, isEarned: Bool, isPurged: Bool, change: Change)]] = [:]
      for (number, block) in blocks.enumerated() {
        _ = try cursor.count(4)
        chains[block[0], default: []].append(
          (UInt32(block[1])!, !block.contains("unearned"), purged.contains(number), try Change(&cursor)))
      }
      // An instance that only counts supplies heads, so that the chains' Lamport times are allowed.
      let ticks = try container.ticks(database, chains.values.flatMap { $0.map(\.lamport) }.max() ?? 0)
      for (name, chain) in chains {
        // The seed differs in every vector, so that chains arrive in different orders.
        let seed = SHA256.hash(Array("\(name) of \(self)".utf8)).bytes
        let identity = try Identity(signingSeed: seed, exchangeSeed: seed)
        var head: BlockRef?
        var last: UInt32 = 0
        var orders: [ControlEntry] = []
        func addBlock(
          _ builder: consuming BlockBuilder, _ lamport: UInt32, _ controls: [ControlEntry], isEarned: Bool = true,
          isPurged: Bool = false
        ) throws {
          var heads = lamport > last + 1 ? [ticks[Int(lamport) - 2]] : []
          if !isEarned { heads = [BlockRef(instance: UUID(high: 1, low: 2), index: 0, digest: .zero)] }
          last = lamport
          let block = try builder.finish(
            database: database, identity: identity, previous: head, lamport: lamport, time: 0, label: nil,
            heads: heads, controls: controls
          ) { block, _ in
            head = block.head
            guard isPurged else { return Array(block.bytes) }
            orders.append(.purge(try PurgeOrder(block.head, clear: Array(block.clear ?? block.bytes))))
            return block.header.removed(block.bytes)!
          }
          container.setBytes(block, of: BranchID(identity.instance), head!.index)
        }
        let own = ControlEntry.instance(
          name: String(name), key: identity.key, exchange: try identity.exchangeKey())
        try addBlock(BlockBuilder(reservedSize: 1 << 18), 1, [own] + settings)
        settings = []
        for (lamport, isEarned, isPurged, change) in chain.sorted(by: { $0.lamport < $1.lamport }) {
          var builder = BlockBuilder(reservedSize: 256)
          try builder.add(change, of: buffer)
          try addBlock(builder, lamport, [], isEarned: isEarned, isPurged: isPurged)
        }
        if !orders.isEmpty { try addBlock(BlockBuilder(reservedSize: 4096 + 4096 * orders.count), last + 1, orders) }
      }
    }
    return container
  }
}

extension MemoryContainer {
  /// A chain with a block for each Lamport time up to `greatest`.
  fileprivate func ticks(_ database: UUID, _ greatest: UInt32) throws -> [BlockRef] {
    let seed = SHA256.hash(Array("ticks".utf8)).bytes
    let identity = try Identity(signingSeed: seed, exchangeSeed: seed)
    var heads: [BlockRef] = []
    for lamport in 1...max(1, greatest) {
      let entry: ControlEntry =
        lamport == 1
        ? .instance(name: "ticks", key: identity.key, exchange: try identity.exchangeKey())
        : .shared(key: "log.date", value: nil)
      var builder = BlockBuilder(reservedSize: 4096)
      try builder.finish(
        database: database, identity: identity, previous: heads.last, lamport: lamport, time: 0, label: nil,
        controls: [entry]
      ) { block, _ in
        heads.append(block.head)
        setBytes(Array(block.bytes), of: BranchID(identity.instance), block.head.index)
      }
    }
    return heads
  }
}

extension BlockBuilder {
  /// Adds a change from another block.
  fileprivate mutating func add(_ change: Change, of bytes: UnsafeBufferPointer<UInt8>) throws {
    func part(_ range: Range<Int>?) -> UnsafeBufferPointer<UInt8>? { range.map { .init(rebasing: bytes[$0]) } }
    var merged: [RevisionID] = []
    if let list = part(change.merged) {
      var cursor = CBORCursor(list)
      while cursor.offset < cursor.end { merged.append(try RevisionID(&cursor)) }
    }
    let made = try add(
      id: part(change.id)!, type: part(change.type), parent: change.parent, merged: merged, kind: change.kind,
      body: part(change.body), hasReferences: change.hasReferences)
    precondition(made.revision == change.revision)
  }
}

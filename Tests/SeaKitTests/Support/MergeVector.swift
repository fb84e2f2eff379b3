import SeaContainer
import SeaCore
import SeaKit
import SeaTestSupport

extension Vector {
  /// The blocks of a vector of merging, in chains of made-up instances.
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
      var chains: [Substring: [(lamport: UInt32, change: Change)]] = [:]
      for block in blocks {
        _ = try cursor.count(4)
        chains[block[0], default: []].append((UInt32(block[1])!, try Change(&cursor)))
      }
      for (name, chain) in chains {
        // Another one in every vector, so that chains arrive in another order.
        let seed = SHA256.hash(Array("\(name) of \(self)".utf8)).bytes
        let identity = try Identity(signingSeed: seed, exchangeSeed: seed)
        var head: BlockRef?
        func place(_ builder: consuming BlockBuilder, _ lamport: UInt32, _ controls: [ControlEntry]) throws {
          let block = try builder.finish(
            database: database, identity: identity, previous: head, lamport: lamport, time: 0, label: nil,
            controls: controls
          ) { block, _ in
            head = block.head
            return Array(block.bytes)
          }
          container.place(block, of: BranchID(identity.instance), head!.index)
        }
        let own = ControlEntry.instance(
          name: String(name), key: identity.key, exchange: try identity.exchangeKey())
        try place(BlockBuilder(room: 4096), 1, [own] + settings)
        settings = []
        for (lamport, change) in chain.sorted(by: { $0.lamport < $1.lamport }) {
          var builder = BlockBuilder(room: 64)
          try builder.add(change, of: buffer)
          try place(builder, lamport, [])
        }
      }
    }
    return container
  }
}

extension BlockBuilder {
  /// A change that stands somewhere else.
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

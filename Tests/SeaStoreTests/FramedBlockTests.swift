import SeaCore
import SeaStore
import SeaTestSupport
import Testing

/// Compressed blocks in the store, which opens one frame of them at a time.
@Suite struct FramedBlockTests {
  private let scratch: ScratchFolder
  private let store: Store
  private let identity: Identity
  private let database = UUID(high: 1, low: 2)

  init() throws {
    scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [])
    store = try Store(folder: scratch.path, access: .write)
    identity = try Identity(
      signingSeed: [UInt8](repeating: 1, count: 32), exchangeSeed: [UInt8](repeating: 2, count: 32))
  }

  private struct Undone: Error {}

  /// Appends a block of so many records, the first one if there is none, in the current transaction.
  private func append(_ records: Int, _ text: String = "") throws -> BlockRow {
    let head = try store.branches.chain(identity.instance)?.head
    var builder = BlockBuilder(reservedSize: 4096)
    for k in 0..<records {
      // A map of one property: {"text": …}.
      var body = ByteWriter()
      body.cborMap(1)
      body.cborText("text")
      body.cborText("\(text) again and again and again \(k)")
      try Array("r\(k)".utf8).withUnsafeBufferPointer { id in
        _ = try builder.add(
          id: id, type: nil, parent: nil, kind: .put, body: body.bytes, hasReferences: false)
      }
    }
    let first = ControlEntry.instance(
      name: "one", key: identity.key, exchange: try identity.exchangeKey())
    let ref = try builder.finish(
      database: database, identity: identity, previous: head, lamport: (head?.index ?? 0) + (head == nil ? 1 : 2),
      time: 0, label: nil, controls: head == nil ? [first] : []
    ) { block, payload in
      let verified = VerifiedBlock(
        bytes: block.bytes, clear: block.clear, framed: block.framed, header: block.header, block.head,
        payload: payload)
      #expect(block.header.mode.contains(.compressed) == (head != nil))
      _ = try store.intake.append(verified, arrived: 0)
      return block.head
    }
    return try #require(try store.blocks.block(ref))
  }

  /// Of every record what its body says.
  private func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    var filter = RecordFilter()
    filter.withDeleted = true
    try store.records.forEachRecord(filter) { row in
      let leaf = try store.records.leaves(of: row)[0]
      let body = try #require(try store.records.change(of: leaf).body)
      texts[row.id] = String(decoding: body.dropFirst(7), as: UTF8.self)
      return true
    }
    return texts
  }

  @Test func rolledBackBlockIsNotReadForNextBlock() throws {
    try store.write { _ = try append(0) }
    #expect(throws: Undone.self) {
      try store.write {
        let row = try append(3000, "undone")
        _ = try store.content.clearBytes(of: row)
        #expect(try texts().count == 3000)
        throw Undone()
      }
    }
    let row = try store.write { try append(2000, "the next") }
    let clear = try #require(try store.content.clearBytes(of: row))
    #expect(try clear.withUnsafeBytes { try BlockReader.payload(ofKept: $0) }.changes.count == 2000)
    let found = try texts()
    #expect(found.count == 2000)
    #expect(found.allSatisfy { $0.value.contains("the next again") && $0.value.hasSuffix(" \($0.key.dropFirst())") })
    #expect(try store.projection.digest() == store.projection.expectedDigest())
  }
}

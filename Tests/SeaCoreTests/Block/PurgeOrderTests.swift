import SeaCore
import SeaTestSupport
import Testing

/// Orders to purge as they stand in a block.
@Suite struct PurgeOrderTests {
  private let identity: Identity
  private let database = UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")!

  init() throws {
    identity = try Identity(
      signingSeed: [UInt8](repeating: 1, count: 32), exchangeSeed: [UInt8](repeating: 2, count: 32))
  }

  private func digest(_ k: UInt8) -> Digest { Digest([UInt8](repeating: k, count: 32))! }

  private func order(_ index: UInt32 = 7) -> PurgeOrder {
    let revision = RevisionID(depth: 2, digest: digest(6))
    return PurgeOrder(
      BlockRef(instance: identity.instance, index: index, digest: digest(4)),
      changes: [
        .init(
          id: "a", type: "t", revision: RevisionID(depth: 1, digest: digest(6)), parent: nil, merged: [], kind: .put),
        .init(
          id: "a", type: nil, revision: RevisionID(depth: 3, digest: digest(9)), parent: revision,
          merged: [RevisionID(depth: 1, digest: digest(1))], kind: .resolved),
      ])
  }

  private func block(_ controls: [ControlEntry], heads: [BlockRef] = []) throws -> [UInt8] {
    var builder = BlockBuilder(reservedSize: 1 << 16)
    let head = BlockRef(instance: identity.instance, index: 8, digest: digest(2))
    return try builder.finish(
      database: database, identity: identity, previous: head, lamport: 10, time: 1, label: nil, heads: heads,
      controls: controls
    ) { finished, _ in Array(finished.bytes) }
  }

  private func controls(_ block: [UInt8]) throws -> [ControlEntry] {
    try block.withUnsafeBytes { try BlockReader.open($0, of: identity.instance, keys: nil).payload.controls }
  }

  @Test func ordersAreReadAsWritten() throws {
    let entries: [ControlEntry] = [.purge(order()), .purge(order(2))]
    let bytes = try block(entries)
    #expect(try controls(bytes) == entries)
    // Compressed or not.
    #expect(bytes[3] & ~0x02 == 0x34)
    let named = try bytes.withUnsafeBytes { try ClearList.blocks(of: $0) }
    #expect(named.map(\.index) == [2, 7])
  }

  @Test func invalidOrdersAreRefused() throws {
    for index in [0, UInt32.max] { #expect(throws: CoreError.self) { try controls(block([.purge(order(index))])) } }
    #expect(throws: CoreError.self) { try block([.purge(order()), .purge(order())]) }
  }

  /// Where the clear list says something else than the entries.
  @Test func mismatchedClearListIsRefused() throws {
    var bytes = try block([.purge(order())])
    bytes[BlockHeader.size + 4 + 20] ^= 1
    #expect(throws: CoreError.badBlock(.badPayload)) { try controls(bytes) }
  }

  /// A removed block is the block with the digest of its content in the place of the content: hash, heads, and signature are those of the
  /// whole one, and no bit of it can be changed.
  @Test func purgedBlockKeepsHashAndSignature() throws {
    let seen = BlockRef(instance: UUID(high: 1, low: 1), index: 3, digest: digest(8))
    let whole = try block([], heads: [seen])
    let left = try #require(whole.withUnsafeBytes { try BlockHeader($0).removed($0) })
    #expect(left.count == BlockHeader.size + BlockRef.rowSize + Digest.size + Payload.signatureSize)
    #expect(hash(of: left) == hash(of: whole) && RemovedBlock(left)?.wholeSize == whole.count)
    #expect(try left.withUnsafeBytes { try BlockHeader($0).heads(in: $0) } == [seen])
    let before = ChainVerifier(
      database: database, head: BlockRef(instance: identity.instance, index: 8, digest: digest(2)), lamport: 9,
      key: identity.key)
    func isGood(_ bytes: [UInt8]) -> Bool {
      var verifier = before
      guard (try? bytes.withUnsafeBytes { try verifier.check($0) }) != nil else { return false }
      return verifier.checkSignature() == nil
    }
    #expect(isGood(whole) && isGood(left))
    for bit in 0..<left.count * 8 {
      var other = left
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isGood(other), "bit \(bit)")
    }
  }

  /// The bit of a removed block stands beside a signature only, and never beside entries or orders.
  @Test func onlySignedBlocksWithoutEntriesCanBePurged() {
    for mode in UInt8.min...UInt8.max where mode & 0x08 != 0 {
      var header = BlockHeader(
        mode: .init(rawValue: mode), payloadSize: 200, index: 7, lamport: 9, previous: digest(3), data: digest(4))
      #expect(((try? header.encoded().withUnsafeBytes { try BlockHeader($0) }) != nil) == (mode & 0x34 == 0x04))
      header.index = 0
      #expect(throws: CoreError.badBlock(.badMode)) { try header.encoded().withUnsafeBytes { try BlockHeader($0) } }
    }
  }

  @Test func blockWithControlEntriesCannotBePurged() throws {
    let whole = try block([.purge(order())])
    #expect(try whole.withUnsafeBytes { try BlockHeader($0).removed($0) } == nil)
  }
}

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

  private func header(
    _ mode: BlockHeader.Mode = .signed, size: UInt32 = 200, index: UInt32 = 7
  ) -> BlockHeader {
    BlockHeader(mode: mode, payloadSize: size, index: index, lamport: 9, previous: digest(3), data: digest(4))
  }

  private func order(_ header: BlockHeader) -> PurgeOrder {
    let revision = RevisionID(depth: 2, digest: digest(6))
    return PurgeOrder(
      identity.instance, header: header,
      heads: [BlockRef(instance: UUID(high: 1, low: 1), index: 0, digest: digest(8))],
      changes: [
        .init(
          id: "a", type: "t", revision: RevisionID(depth: 1, digest: digest(6)), parent: nil, merged: [], kind: .put),
        .init(
          id: "a", type: nil, revision: RevisionID(depth: 3, digest: digest(9)), parent: revision,
          merged: [RevisionID(depth: 1, digest: digest(1))], kind: .resolved),
      ])
  }

  private func block(_ controls: [ControlEntry]) throws -> [UInt8] {
    var builder = BlockBuilder(room: 1 << 16)
    let head = BlockRef(instance: identity.instance, index: 8, digest: digest(2))
    return try builder.finish(
      database: database, identity: identity, previous: head, lamport: 10, time: 1, label: nil, controls: controls
    ) { finished, _ in Array(finished.bytes) }
  }

  private func controls(_ block: [UInt8]) throws -> [ControlEntry] {
    try block.withUnsafeBytes { try BlockReader.open($0, of: identity.instance, keys: nil).payload.controls }
  }

  @Test func whatIsWrittenIsRead() throws {
    let entries: [ControlEntry] = [.purge(order(header())), .purge(order(header(index: 2)))]
    let bytes = try block(entries)
    #expect(try controls(bytes) == entries)
    // Compressed or not.
    #expect(bytes[3] & ~0x02 == 0x34)
    let named = try bytes.withUnsafeBytes { try ClearList.blocks(of: $0) }
    #expect(named.map(\.index) == [2, 7])
  }

  @Test func whatCannotBeOrdered() throws {
    for header in [
      header([]), header([.signed, .control]), header([.signed, .orders]), header([.signed, .removed]),
      header(size: 64),
      header([.signed, .sealed], size: 96), header(index: .max), header([.signed, .sealed], size: 97),
    ] { #expect(throws: CoreError.self) { try controls(block([.purge(order(header))])) } }
    #expect(throws: CoreError.self) { try block([.purge(order(header())), .purge(order(header()))]) }
  }

  /// Where the clear list says something else than the entries.
  @Test func theListSaysWhatTheEntriesSay() throws {
    var bytes = try block([.purge(order(header()))])
    bytes[BlockHeader.size + 4 + 20] ^= 1
    #expect(throws: CoreError.badBlock(.badPayload)) { try controls(bytes) }
  }

  /// The hash of a block is the digest of its header, removed or not; an order names it by that.
  @Test func aRemovedBlockKeepsItsHash() throws {
    let whole = header()
    let left = try #require(RemovedBlock(whole.removed.encoded()))
    let read = try left.bytes.withUnsafeBytes { try BlockHeader($0) }
    #expect(read.mode == [.signed, .removed] && read.blockSize == BlockHeader.size && read.payloadSize == 200)
    #expect(read.hash == whole.hash && whole.hash == SHA256.hash(whole.encoded()))
    #expect(order(whole).block.digest == whole.hash && order(read).block.digest == whole.hash)
    for at in 16..<BlockHeader.size {
      var other = left.bytes
      other[at] ^= 1
      #expect(try other.withUnsafeBytes { try BlockHeader($0).hash } != whole.hash)
    }
  }

  /// The bit of a removed block stands beside a signature only, and never beside entries or orders.
  @Test func whichModesMayBeRemoved() {
    for mode in UInt8.min...UInt8.max where mode & 0x08 != 0 {
      var header = header(BlockHeader.Mode(rawValue: mode))
      #expect(((try? header.encoded().withUnsafeBytes { try BlockHeader($0) }) != nil) == (mode & 0x34 == 0x04))
      header.index = 0
      #expect(throws: CoreError.badBlock(.badMode)) { try header.encoded().withUnsafeBytes { try BlockHeader($0) } }
    }
  }
}

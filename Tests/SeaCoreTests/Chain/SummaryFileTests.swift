import SeaCore
import SeaTestSupport
import Testing

@Suite struct SummaryFileTests {
  private let database = UUID(high: 1, low: 2)
  private let container = UUID(high: 3, low: 4)

  private func identity(_ k: UInt8) throws -> Identity {
    try Identity(signingSeed: [UInt8](repeating: k, count: 32), exchangeSeed: [UInt8](repeating: 200 - k, count: 32))
  }

  private func hint(_ writer: Identity, heads count: Int) -> HeadsHint {
    let heads = (0..<count).map { k in
      let branch = BranchID(
        UUID(high: UInt64(k / 3), low: 7),
        fork: k % 3 == 0 ? nil : ForkID(high: UInt64(k) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(k)))
      return BlockRef(branch, index: UInt32(k), digest: SHA256.hash([UInt8(truncatingIfNeeded: k)]))
    }
    return HeadsHint(
      database: database, container: container, instance: writer.instance, time: -5, heads: heads.reversed())
  }

  private func read(_ bytes: [UInt8], _ writer: Identity) -> HeadsHint? {
    HeadsHint(bytes, of: writer.instance, key: writer.key, in: container, of: database)
  }

  @Test(arguments: [0, 1, 2, 3, 400]) func summaryIsReadAsWritten(_ count: Int) throws {
    let writer = try identity(1)
    let hint = hint(writer, heads: count)
    let bytes = try #require(try hint.encoded(writer))
    #expect(read(bytes, writer) == hint)
    #expect(hint.heads.map(\.branch) == hint.heads.map(\.branch).sorted())
  }

  @Test func mismatchedOrMalformedSummaryIsIgnored() throws {
    let (one, other) = (try identity(1), try identity(2))
    let bytes = try #require(try hint(one, heads: 4).encoded(one))
    #expect(HeadsHint(bytes, of: other.instance, key: one.key, in: container, of: database) == nil)
    #expect(HeadsHint(bytes, of: one.instance, key: other.key, in: container, of: database) == nil)
    #expect(HeadsHint(bytes, of: one.instance, key: one.key, in: database, of: database) == nil)
    #expect(HeadsHint(bytes, of: one.instance, key: one.key, in: container, of: container) == nil)
    for size in [0, 1, 64, 65, bytes.count - 1] { #expect(read(Array(bytes.prefix(size)), one) == nil) }
    #expect(read(bytes + [0], one) == nil)
    // Signed by another: the name of the file is what counts.
    let foreign = try #require(try hint(one, heads: 1).encoded(other))
    #expect(read(foreign, one) == nil)
  }

  @Test func everyFlippedBitIsDetected() throws {
    let one = try identity(1)
    let bytes = try #require(try hint(one, heads: 2).encoded(one))
    for k in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[k / 8] ^= 1 << (k % 8)
      #expect(read(flipped, one) == nil, "bit \(k)")
    }
  }

  @Test func oversizedSummaryIsNotWritten() throws {
    let one = try identity(1)
    #expect(try hint(one, heads: 1200).encoded(one) == nil)
    #expect(try (hint(one, heads: 800).encoded(one)?.count ?? .max) <= HeadsHint.largest)
  }
}

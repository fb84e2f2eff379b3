import SeaCore
import SeaTestSupport
import Testing

/// Copies of purged blocks are known by what is left of these.
@Suite struct CopySearchTests {
  private let instance = UUID(high: 0xA, low: 1)
  private let payload: [UInt8]
  private let header: BlockHeader
  private let block: [UInt8]
  private let ref: BlockRef
  private var marks = PurgedMarks()

  init() {
    payload = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    header = BlockHeader(
      mode: .signed, payloadSize: 700, index: 7, lamport: 9, previous: SHA256.hash([1]), data: SHA256.hash(payload))
    block = header.encoded() + payload
    ref = BlockRef(instance: instance, index: 7, digest: SHA256.hash(block))
    marks.add(ref, header)
  }

  private func find(_ bytes: [UInt8], piece: Int = 1000) -> (copies: Set<BlockRef>, hasOthers: Bool) {
    var search = CopySearch(marks, size: Int64(bytes.count)) { _, digest in digest == ref.digest }
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try? bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { try search.add($0) }
    }
    return (search.copies, search.hasOthers)
  }

  private func other(_ index: UInt32, _ payload: [UInt8]) -> [UInt8] {
    BlockHeader(
      mode: .signed, payloadSize: UInt32(payload.count), index: index, lamport: 3, previous: SHA256.hash([2]),
      data: SHA256.hash(payload)
    ).encoded() + payload
  }

  @Test func anyOneBitMayBeFlipped() {
    for bit in 0..<(8 * block.count) {
      var bytes = block
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(find(bytes).copies == [ref], "bit \(bit)")
    }
  }

  @Test func whereverItBeginsAndEnds() {
    let good = other(3, Array(repeating: 5, count: 200))
    for piece in [1, 7, 80, 999, 100_000] {
      for bytes in [block, [0] + block, good + block, Array("SEASEASEA".utf8) + block + good, Array(block.dropLast(9))]
      {
        #expect(find(bytes, piece: piece).copies == [ref])
      }
      #expect(find(good, piece: piece) == ([], true))
      #expect(find(Array(block.prefix(100)), piece: piece).copies == [ref])
    }
  }

  /// An order repeats the header: neither the block that it stands in nor what is damaged of that is a copy.
  @Test func whatOrdersRepeatIsNoCopy() {
    var writer = ByteWriter()
    writer.cborText("header")
    header.encoded().withUnsafeBytes { writer.cborData($0) }
    writer.cborText("changes")
    let order = other(4, writer.array() + Array(repeating: 1, count: 70))
    #expect(find(order).copies == [])
    #expect(find(Array(order.dropLast(9))).copies == [])
    #expect(find([0] + order.dropFirst()).copies == [])
    // Another block that follows the same one, with the same clock and size.
    let twin = BlockHeader(
      mode: header.mode, payloadSize: 700, index: 7, lamport: 9, previous: header.previous,
      data: SHA256.hash(payload.reversed()))
    #expect(find(twin.encoded() + payload.reversed()) == ([], true))
    #expect(find(Array(repeating: 0, count: 5000)).copies == [])
  }

  /// A header of somebody's own that says of the old payload what it is: as a block it is sound, and all the same a copy.
  @Test func thePayloadUnderAnotherHeader() {
    let bytes =
      BlockHeader(
        mode: .signed, payloadSize: 700, index: 900, lamport: 77, previous: SHA256.hash([7]), data: header.data
      ).encoded() + payload
    #expect(find(bytes).copies == [ref])
    #expect(find([0] + bytes).copies == [ref])
  }

  /// How much of a file is blocks: of the rest nobody knows what it is.
  @Test func whatIsNoBlockIsCounted() {
    let good = other(3, Array(repeating: 5, count: 200))
    for (bytes, sound) in [(good, 280), (good + [1, 2, 3] + good, 560), (Array(good.dropLast()), 0), (payload, 0)] {
      var search = CopySearch(marks, size: Int64(bytes.count)) { _, _ in true }
      try? bytes.withUnsafeBytes { try search.add($0) }
      #expect(search.sound == Int64(sound) && search.copies == [])
    }
  }

  /// What says at each place that it is a large block is given up, and not looked at for ever.
  @Test func aFileOfBeginningsIsGivenUp() {
    var head = header
    head.payloadSize = 50_000
    head.data = SHA256.hash([9])
    let bytes = [[UInt8]](repeating: head.encoded(), count: 4000).flatMap(\.self)
    var search = CopySearch(marks, size: Int64(bytes.count)) { _, _ in true }
    try? bytes.withUnsafeBytes { try search.add($0) }
    #expect(search.isCut)
  }
}

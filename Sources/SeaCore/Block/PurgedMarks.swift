/// Knows copies of purged blocks by what is left of these: their headers, as the orders repeat them.
///
/// A copy is known that is whole or cut, or has a few bits of its header flipped, or any of its payload. Whoever changes more has
/// written something else.
package struct PurgedMarks: Sendable {
  private struct Mark: Sendable {
    let header: [UInt8]
    let block: BlockRef
  }

  private var marks: [Mark] = []
  private var byData: [Digest: Int] = [:]
  private var bySigned: [[UInt8]: Int] = [:]
  /// The first two bytes of each hash of a payload.
  private var starts: [Bool] = []

  /// So many bits of the header may be flipped.
  private static let mostFlipped = 8

  package init() {}

  package var isEmpty: Bool { marks.isEmpty }

  /// How large the whole blocks were.
  package private(set) var sizes: Set<Int64> = []

  /// How large their payloads were.
  package private(set) var payloadSizes: Set<Int64> = []

  /// The hashes of the payloads, in order.
  package var payloads: [Digest] { byData.keys.sorted() }

  /// - Parameter header: as the block had it.
  package mutating func add(_ block: BlockRef, _ header: BlockHeader) {
    guard byData[header.data] == nil else { return }
    if starts.isEmpty { starts = [Bool](repeating: false, count: 1 << 16) }
    let bytes = header.encoded()
    byData[header.data] = marks.count
    bySigned[Array(bytes[..<BlockHeader.signedPart])] = marks.count
    starts[Int(bytes[BlockHeader.signedPart]) << 8 | Int(bytes[BlockHeader.signedPart + 1])] = true
    sizes.insert(Int64(header.blockSize))
    payloadSizes.insert(Int64(header.payloadSize))
    marks.append(Mark(header: bytes, block: block))
  }

  /// Whether a header may begin at a place, by two of its bytes. 80 bytes have to be there.
  func mayBegin(at header: UnsafeRawPointer) -> Bool {
    let first = header.load(fromByteOffset: BlockHeader.signedPart, as: UInt8.self)
    return starts[Int(first) << 8 | Int(header.load(fromByteOffset: BlockHeader.signedPart + 1, as: UInt8.self))]
  }

  /// The block whose header begins at a place, as it was or nearly so.
  func block(withHeader header: UnsafeRawPointer) -> BlockRef? {
    guard mayBegin(at: header), let at = byData[Digest(header + BlockHeader.signedPart)] else { return nil }
    var flipped = 0
    for offset in 0..<BlockHeader.signedPart {
      flipped += (header.load(fromByteOffset: offset, as: UInt8.self) ^ marks[at].header[offset]).nonzeroBitCount
    }
    return flipped <= PurgedMarks.mostFlipped ? marks[at].block : nil
  }

  /// The block whose header was the same in all that a signature covers.
  func block(withSigned header: UnsafeRawPointer) -> BlockRef? {
    bySigned[Array(UnsafeRawBufferPointer(start: header, count: BlockHeader.signedPart))].map { marks[$0].block }
  }

  /// The block whose payload has that hash.
  package func block(withPayload hash: Digest) -> BlockRef? { byData[hash].map { marks[$0].block } }

  /// Whether bytes that were taken for a block have a copy of one in them.
  package func areIn(_ bytes: [UInt8]) -> Bool {
    guard !isEmpty else { return false }
    var search = CopySearch(self, size: Int64(bytes.count)) { _, _ in true }
    try? bytes.withUnsafeBytes { try search.add($0) }
    return !search.copies.isEmpty
  }
}

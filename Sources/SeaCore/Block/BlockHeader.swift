/// The 84 bytes in front of every block; integers are unsigned, 32-bit, big-endian.
///
///      0  3  "SEA"        8  4  index                20 32  previous: hash of the previous block
///      3  1  mode        12  4  Lamport time         52 32  data: what the payload is held against (`BlockDigests`)
///      4  4  size of the payload as it was written
///                        16  4  how many heads       84  …  payload: heads ‖ content ‖ signature
///
/// A removed block has the digest of its content in the place of the content, and is otherwise as it was.
package struct BlockHeader: Equatable, Sendable {
  package static let size = 84
  /// The bytes of the header that a signature covers: all but `data`.
  package static let signedPart = 52
  package static let mostHeads = 65_536
  /// A whole block, header included.
  package static let largestBlock = 64 << 20

  package struct Mode: OptionSet, Equatable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let sealed = Mode(rawValue: 0x01)
    package static let compressed = Mode(rawValue: 0x02)
    package static let signed = Mode(rawValue: 0x04)
    package static let removed = Mode(rawValue: 0x08)
    /// At least one item is a control entry.
    package static let control = Mode(rawValue: 0x10)
    /// It orders blocks to be purged, and names them in the clear.
    package static let orders = Mode(rawValue: 0x20)
    /// Only a newer program knows what they mean.
    package static let unknown = Mode(rawValue: 0xC0)
    /// Of a first block one of these: what nobody can read holds no key.
    package static let first: [Mode] = [[.signed, .control], [.signed, .control, .sealed]]
  }

  package var mode: Mode
  package var payloadSize: UInt32
  package var index: UInt32
  package var lamport: UInt32
  package var heads: UInt32
  package var previous: Digest
  package var data: Digest

  package init(
    mode: Mode, payloadSize: UInt32, index: UInt32, lamport: UInt32, heads: UInt32 = 0, previous: Digest, data: Digest
  ) {
    self.mode = mode
    self.payloadSize = payloadSize
    self.index = index
    self.lamport = lamport
    self.heads = heads
    self.previous = previous
    self.data = data
  }

  /// The header at the front of `bytes`.
  /// - Throws: `badBlock` with `truncated`, `badMagic`, `badMode` or `badSize`.
  package init(_ bytes: UnsafeRawBufferPointer) throws(CoreError) {
    guard let base = bytes.baseAddress, bytes.count >= BlockHeader.size else { throw .badBlock(.truncated) }
    func integer(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    guard bytes[0] == 0x53, bytes[1] == 0x45, bytes[2] == 0x41 else { throw .badBlock(.badMagic) }
    mode = Mode(rawValue: bytes[3])
    index = integer(8)
    guard index > 0 ? mode.mayBeRemoved : Mode.first.contains(mode) else { throw .badBlock(.badMode) }
    payloadSize = integer(4)
    lamport = integer(12)
    heads = integer(16)
    previous = Digest(base + 20)
    data = Digest(base + 52)
    guard Int(payloadSize) <= BlockHeader.largestBlock - BlockHeader.size, heads <= BlockHeader.mostHeads,
      wholeSize > contentStart + Payload.signatureSize
    else { throw .badBlock(.badSize) }
  }

  /// The size of a block as stored, whatever else its header says; nil if it is no header.
  package static func blockSize(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= size, bytes[0] == 0x53, bytes[1] == 0x45, bytes[2] == 0x41 else { return nil }
    func integer(_ offset: Int) -> Int {
      Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    guard Mode(rawValue: bytes[3]).contains(.removed) else { return size + integer(4) }
    return size + integer(16) * BlockRef.rowSize + Digest.size + Payload.signatureSize
  }

  /// The size of the block as stored.
  package var blockSize: Int {
    mode.contains(.removed) ? contentStart + Digest.size + Payload.signatureSize : wholeSize
  }

  /// The size that the block had when it was written.
  package var wholeSize: Int { BlockHeader.size + Int(payloadSize) }

  /// Where the content begins, or in a removed block its digest.
  package var contentStart: Int { BlockHeader.size + Int(heads) * BlockRef.rowSize }

  package func write(into writer: inout ByteWriter) {
    writer.append([0x53, 0x45, 0x41, mode.rawValue])
    writer.uint32(payloadSize)
    writer.uint32(index)
    writer.uint32(lamport)
    writer.uint32(heads)
    previous.withBytes { writer.append($0) }
    data.withBytes { writer.append($0) }
  }
}

extension BlockHeader.Mode {
  /// Whether the bit of a removed block, if it is set, stands in a mode that allows it: entries of control are never removed.
  fileprivate var mayBeRemoved: Bool {
    !contains(.removed) || contains(.signed) && isDisjoint(with: [.control, .orders])
  }
}

extension BlockHeader {
  /// The hash of a block is the digest of its header, which has the digest of the payload. It stays the same when the block is removed.
  package var hash: Digest {
    withUnsafeTemporaryAllocation(byteCount: BlockHeader.size, alignment: 16) { bytes in
      let start = 0x5345_4100 | UInt32(mode.subtracting(.removed).rawValue)
      bytes.storeBytes(of: start.bigEndian, toByteOffset: 0, as: UInt32.self)
      bytes.storeBytes(of: payloadSize.bigEndian, toByteOffset: 4, as: UInt32.self)
      bytes.storeBytes(of: index.bigEndian, toByteOffset: 8, as: UInt32.self)
      bytes.storeBytes(of: lamport.bigEndian, toByteOffset: 12, as: UInt32.self)
      bytes.storeBytes(of: heads.bigEndian, toByteOffset: 16, as: UInt32.self)
      previous.withBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[20...]).copyMemory(from: $0) }
      data.withBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[52...]).copyMemory(from: $0) }
      return SHA256.hash(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The hash of a block whose bytes are what the header says; nil of any other.
  package func hash(ofIntact block: UnsafeRawBufferPointer) -> Digest? {
    block.count == blockSize && BlockDigests(block, self).data == data ? hash : nil
  }

  /// Whether bytes are the whole block with a hash.
  package func isWhole(_ block: UnsafeRawBufferPointer, _ hash: Digest) -> Bool {
    !mode.contains(.removed) && self.hash(ofIntact: block) == hash
  }

  /// What is left of the block when it is removed: all but its content, and the digest of that. Nil of one that never is.
  package func removed(_ block: UnsafeRawBufferPointer) -> [UInt8]? {
    guard block.count == blockSize, !mode.contains(.removed) else { return nil }
    var header = self
    header.mode.insert(.removed)
    guard header.index > 0, header.mode.mayBeRemoved else { return nil }
    var writer = ByteWriter(capacity: header.blockSize)
    header.write(into: &writer)
    writer.append(UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<contentStart]))
    BlockDigests(block, self).content.withBytes { writer.append($0) }
    writer.append(UnsafeRawBufferPointer(rebasing: block.suffix(Payload.signatureSize)))
    return writer.array()
  }
}

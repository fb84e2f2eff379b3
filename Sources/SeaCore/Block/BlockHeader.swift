/// The 84 bytes at the start of every block. All integers are unsigned, 32-bit and big-endian.
///
///      0  3  "SEA"        8  4  index                20 32  previous: hash of the previous block
///      3  1  mode        12  4  Lamport time         52 32  data: verifies the payload (`BlockDigests`)
///      4  4  original size of the payload
///                        16  4  number of heads      84  …  payload: heads ‖ content ‖ signature
///
/// In a removed block, the content is replaced with its digest, and only the header's `mode` is different.
package struct BlockHeader: Equatable, Sendable {
  package static let size = 84
  /// The size of the header part that the signature covers: everything except `data`.
  package static let signedPart = 52
  package static let mostHeads = 65_536
  /// The maximum block size in bytes, including the header.
  package static let largestBlock = 64 << 20

  package struct Mode: OptionSet, Equatable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let sealed = Mode(rawValue: 0x01)
    package static let compressed = Mode(rawValue: 0x02)
    package static let signed = Mode(rawValue: 0x04)
    package static let removed = Mode(rawValue: 0x08)
    package static let control = Mode(rawValue: 0x10)
    /// The block orders other blocks to be purged, and lists them unencrypted.
    package static let orders = Mode(rawValue: 0x20)
    /// The bits that are reserved for newer versions of the format.
    package static let unknown = Mode(rawValue: 0xC0)
    /// The valid modes of a chain's first block, which is never compressed, so that every reader can read its key.
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

  /// - Throws: `badBlock` with the fault `truncated`, `badMagic`, `badMode` or `badSize`.
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

  /// Returns the size of the stored block without checking any other fields; nil if the bytes are not a header.
  package static func blockSize(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= size, bytes[0] == 0x53, bytes[1] == 0x45, bytes[2] == 0x41 else { return nil }
    func integer(_ offset: Int) -> Int {
      Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    guard Mode(rawValue: bytes[3]).contains(.removed) else { return size + integer(4) }
    return size + integer(16) * BlockRef.rowSize + Digest.size + Payload.signatureSize
  }

  package var blockSize: Int {
    mode.contains(.removed) ? contentStart + Digest.size + Payload.signatureSize : wholeSize
  }

  package var wholeSize: Int { BlockHeader.size + Int(payloadSize) }

  /// The offset of the content or, in a removed block, of the content's digest.
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
  /// Whether a `removed` bit in the mode is valid. Blocks that contain control entries are never removed.
  fileprivate var mayBeRemoved: Bool {
    !contains(.removed) || contains(.signed) && isDisjoint(with: [.control, .orders])
  }
}

extension BlockHeader {
  /// The digest of the header, which includes the digest of the payload. Removing the content does not change this
  /// hash.
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

  package func hash(ofIntact block: UnsafeRawBufferPointer) -> Digest? {
    block.count == blockSize && BlockDigests(block, self).data == data ? hash : nil
  }

  /// Whether the bytes are a complete block with the given hash, as opposed to a removed block.
  package func isWhole(_ block: UnsafeRawBufferPointer, _ hash: Digest) -> Bool {
    !mode.contains(.removed) && self.hash(ofIntact: block) == hash
  }

  /// Returns the block with its content replaced with the content's digest; nil if the block must not be removed.
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

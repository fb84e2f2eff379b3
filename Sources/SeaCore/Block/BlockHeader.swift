/// The 80 bytes in front of every block; integers are unsigned, 32-bit, big-endian.
///
///      0  3  "SEA"        8  4  index             16 32  previous: hash of the previous block
///      3  1  mode        12  4  Lamport time      48 32  data: SHA-256 of the payload as stored
///      4  4  size of the payload                  80  …  payload
package struct BlockHeader: Equatable, Sendable {
  package static let size = 80
  /// The bytes of the header that a signature covers: all but `data`.
  package static let signedPart = 48
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
  package var previous: Digest
  package var data: Digest

  package init(mode: Mode, payloadSize: UInt32, index: UInt32, lamport: UInt32, previous: Digest, data: Digest) {
    self.mode = mode
    self.payloadSize = payloadSize
    self.index = index
    self.lamport = lamport
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
    guard Int(payloadSize) <= BlockHeader.largestBlock - BlockHeader.size else { throw .badBlock(.badSize) }
    lamport = integer(12)
    previous = Digest(base + 16)
    data = Digest(base + 48)
  }

  /// The size of the whole block as stored: nothing follows the header of a removed one.
  package var blockSize: Int { BlockHeader.size + (mode.contains(.removed) ? 0 : Int(payloadSize)) }

  package func write(into writer: inout ByteWriter) {
    writer.append([0x53, 0x45, 0x41, mode.rawValue])
    writer.uint32(payloadSize)
    writer.uint32(index)
    writer.uint32(lamport)
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
      previous.withBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[16...]).copyMemory(from: $0) }
      data.withBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[48...]).copyMemory(from: $0) }
      return SHA256.hash(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The hash of a block whose bytes are what the header says; nil of any other.
  package func hash(ofIntact block: UnsafeRawBufferPointer) -> Digest? {
    guard block.count == blockSize else { return nil }
    if mode.contains(.removed) { return hash }
    let payload = UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...])
    return SHA256.hash(payload) == data ? hash : nil
  }

  /// Whether bytes are the whole block with a hash.
  package func isWhole(_ block: UnsafeRawBufferPointer, _ hash: Digest) -> Bool {
    !mode.contains(.removed) && self.hash(ofIntact: block) == hash
  }

  /// What is left of the block when it is removed.
  package var removed: BlockHeader {
    var header = self
    header.mode.insert(.removed)
    return header
  }
}

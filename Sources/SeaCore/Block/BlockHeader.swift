/// The 80 bytes in front of every block; integers are unsigned, 32-bit, big-endian.
///
///      0  3  "SEA"        8  4  index             16 32  previous: SHA-256 of the previous block as stored
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
    guard index > 0 ? !mode.contains(.removed) || mode == .removed : Mode.first.contains(mode) else {
      throw .badBlock(.badMode)
    }
    payloadSize = integer(4)
    guard Int(payloadSize) <= BlockHeader.largestBlock - BlockHeader.size else { throw .badBlock(.badSize) }
    if mode.contains(.removed) { guard payloadSize == 32 else { throw .badBlock(.badSize) } }
    lamport = integer(12)
    previous = Digest(base + 16)
    data = Digest(base + 48)
  }

  /// The size of the whole block as stored.
  package var blockSize: Int { BlockHeader.size + Int(payloadSize) }

  package func write(into writer: inout ByteWriter) {
    writer.append([0x53, 0x45, 0x41, mode.rawValue])
    writer.uint32(payloadSize)
    writer.uint32(index)
    writer.uint32(lamport)
    previous.withBytes { writer.append($0) }
    data.withBytes { writer.append($0) }
  }
}

extension BlockHeader {
  /// The hash of a block with this header; of a removed one that of the block which stood there.
  /// - Parameters:
  ///   - block: all of it; that it is as long as the header says was checked.
  ///   - whole: SHA-256 of it, if somebody else works it out.
  package func digest(of block: UnsafeRawBufferPointer, whole: WholeDigest? = nil) -> Digest {
    if mode.contains(.removed) { return Digest(block.baseAddress! + BlockHeader.size) }
    return switch whole {
    case .known(let digest): digest
    case .later(let wait): wait()
    case .both(let digests): digests.whole
    case nil: SHA256.hash(block)
    }
  }
}

/// The digest of a whole block that somebody else works out.
package enum WholeDigest {
  case known(Digest)
  /// Comes back with it when it is there.
  case later(() -> Digest)
  /// With that of its payload.
  case both(BlockDigests)
}

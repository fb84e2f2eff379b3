/// Looks through the bytes of a file for copies of purged blocks, wherever in it they begin.
///
/// Sound blocks are passed over as wholes. What is between them is looked at byte by byte.
package struct CopySearch {
  private let marks: PurgedMarks
  private let isKnown: (BlockHeader, Digest) throws -> Bool
  private var buffer: [UInt8] = []
  private var at = 0
  /// How many bytes of the file begin at `at`, and how many of them may still be hashed in vain.
  private var left: Int64
  private var work: Int64
  /// The blocks that copies were found of.
  package private(set) var copies: Set<BlockRef> = []
  /// Whether there is a sound block that is not known.
  package private(set) var hasOthers = false
  /// How many bytes of the file are sound blocks: of the rest nobody knows what it is.
  package private(set) var sound: Int64 = 0
  /// Whether it was given up: too much of the file says that it is a block, and is none.
  package private(set) var isCut = false

  /// What is behind the first bytes of a file is kept until it is looked at.
  private static let mostPassed = 1 << 20

  /// - Parameters:
  ///   - size: of the file.
  ///   - isKnown: told of each sound whole block; says whether it is known here.
  package init(_ marks: PurgedMarks, size: Int64, isKnown: @escaping (BlockHeader, Digest) throws -> Bool) {
    self.marks = marks
    self.isKnown = isKnown
    (left, work) = (size, max(1 << 20, 4 * size))
  }

  /// The next bytes of the file.
  package mutating func add(_ piece: UnsafeRawBufferPointer) throws {
    guard !marks.isEmpty, !isCut else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    bytes.append(contentsOf: piece)
    try bytes.withUnsafeBytes { try go(through: $0) }
    if at > CopySearch.mostPassed {
      // Two bytes before a header say whether somebody repeats it.
      bytes.removeFirst(at - 2)
      at = 2
    }
    swap(&bytes, &buffer)
  }

  private mutating func pass(_ count: Int) {
    at += count
    left -= Int64(count)
  }

  private mutating func go(through bytes: UnsafeRawBufferPointer) throws {
    guard let base = bytes.baseAddress else { return }
    while at + BlockHeader.size <= bytes.count, !isCut {
      let header = base + at
      let looksLikeOne = bytes[at] == 0x53 && bytes[at + 1] == 0x45 && bytes[at + 2] == 0x41
      guard looksLikeOne || marks.mayBegin(at: header) else {
        pass(1)
        continue
      }
      // An order repeats the header as a string of 80 bytes.
      let isRepeated = at >= 2 && bytes[at - 2] == 0x58 && bytes[at - 1] == UInt8(BlockHeader.size)
      if !isRepeated, let block = marks.block(withHeader: header) {
        copies.insert(block)
        pass(BlockHeader.size)
        continue
      }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
      guard looksLikeOne, let read = try? BlockHeader(rest) else {
        pass(1)
        continue
      }
      let isWhole = read.blockSize <= left
      // The rest of it is in the next piece.
      if isWhole, read.blockSize > rest.count { return }
      if isWhole, try isSound(read, UnsafeRawBufferPointer(rebasing: rest[..<read.blockSize])) {
        pass(read.blockSize)
        sound += Int64(read.blockSize)
        continue
      }
      if !isRepeated, let block = marks.block(withSigned: header) { copies.insert(block) }
      pass(1)
    }
  }

  private mutating func isSound(_ header: BlockHeader, _ block: UnsafeRawBufferPointer) throws -> Bool {
    work -= Int64(block.count)
    guard work > 0 else {
      isCut = true
      return false
    }
    let hash = SHA256.hash(UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...]))
    // Under whatever header: no other block has that payload.
    if let copy = marks.block(withPayload: hash) { copies.insert(copy) }
    guard hash == header.data else { return false }
    work += Int64(block.count)
    if !header.mode.contains(.removed), try !isKnown(header, header.digest(of: block)) { hasOthers = true }
    return true
  }
}

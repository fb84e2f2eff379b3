import SeaCore
import SeaSystem

/// A reusable buffer for reading blocks. The buffer grows to the size of the largest block.
final class BlockWindow {
  private(set) var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Ensures that the buffer has at least `count` bytes. If the buffer grows, its content is discarded.
  func reserve(_ count: Int) {
    guard bytes.count < count else { return }
    bytes.deallocate()
    bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
  }

  deinit { bytes.deallocate() }
}

protocol BlockBytes: AnyObject {
  /// Fills the buffer with bytes from `offset` on, up to the end of the file. Returns the number of bytes read.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ContainerError) -> Int
}

extension File: BlockBytes {
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ContainerError) -> Int {
    try system { () throws(SystemError) in try read(into: buffer, at: offset) }
  }
}

final class WholeBytes: BlockBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }
}

/// The blocks in a file, either a single block or the 1000 blocks of a pack file.
package struct BlockFile {
  enum Item {
    case block(UnsafeRawBufferPointer)
    case end
    case incomplete(have: Int, want: Int)
    case damaged(BlockFault)
  }

  private static let piece = 1 << 18

  let file: any BlockBytes
  /// The size when the file was opened. Bytes that are added later are not read.
  let size: Int
  private(set) var offset = 0
  private let window: BlockWindow
  private var windowStart = 0
  private var windowCount = 0

  init(_ file: any BlockBytes, size: Int, window: BlockWindow) {
    self.file = file
    self.size = size
    self.window = window
  }

  /// Returns nil if there is no regular file with that name. Links are not followed, and pipes do not block the call.
  init?(_ name: String, in folder: Directory, window: BlockWindow) throws(ContainerError) {
    let opened: File
    do throws(SystemError) {
      opened = try folder.file(name, [.read, .nonBlocking])
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw .system(error)
    }
    let status = try system { () throws(SystemError) in try opened.status() }
    guard status.kind == .file else { return nil }
    self.init(opened, size: Int(clamping: status.size), window: window)
  }

  var isAtEnd: Bool { offset == size }

  /// Reads the next block, which must have this index. The position advances only if a block is returned.
  mutating func next(_ index: UInt32) throws(ContainerError) -> Item {
    let (header, found) = try header(index)
    guard let header else { return found }
    guard let bytes = try bytes(header.blockSize) else {
      return .incomplete(have: size - offset, want: header.blockSize)
    }
    if let have = arrived(of: bytes) { return .incomplete(have: have, want: header.blockSize) }
    offset += header.blockSize
    return .block(bytes)
  }

  /// Skips a block without reading it. In the result, `block` has no bytes.
  mutating func skip(_ index: UInt32) throws(ContainerError) -> Item {
    let (header, found) = try header(index)
    guard let header else { return found }
    offset += header.blockSize
    return .block(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Reads the next block, whatever its index. Returns nil if there is no complete block.
  mutating func nextWhole() throws(ContainerError) -> UnsafeRawBufferPointer? {
    guard let start = try bytes(BlockHeader.size), let header = try? BlockHeader(start),
      let block = try bytes(header.blockSize)
    else { return nil }
    offset += header.blockSize
    return block
  }

  private mutating func header(_ index: UInt32) throws(ContainerError) -> (BlockHeader?, Item) {
    let have = size - offset
    if have == 0 { return (nil, .end) }
    guard let bytes = try bytes(BlockHeader.size) else { return (nil, .incomplete(have: have, want: BlockHeader.size)) }
    if areZeros(bytes) { return (nil, .incomplete(have: 0, want: BlockHeader.size)) }
    switch checkHeader(bytes, index: index) {
    case .failure(let fault): return (nil, .damaged(fault))
    case .success(let header):
      guard have >= header.blockSize else { return (nil, .incomplete(have: have, want: header.blockSize)) }
      return (header, .end)
    }
  }

  private mutating func bytes(_ count: Int) throws(ContainerError) -> UnsafeRawBufferPointer? {
    guard offset + count <= size else { return nil }
    if offset < windowStart || offset + count > windowStart + windowCount {
      let want = min(max(count, BlockFile.piece), size - offset)
      window.reserve(want)
      let target = UnsafeMutableRawBufferPointer(rebasing: window.bytes[..<want])
      let position = Int64(offset)
      windowCount = try file.fill(target, at: position)
      windowStart = offset
    }
    guard windowCount >= offset - windowStart + count else { return nil }
    return UnsafeRawBufferPointer(rebasing: window.bytes[(offset - windowStart)...].prefix(count))
  }
}

/// If the end of a block is not filled in yet, returns the number of bytes that have arrived. Some programs create a
/// file at full size and fill it later. A complete block ends with a signature or a hash, never with 16 zeros.
func arrived(of block: UnsafeRawBufferPointer) -> Int? {
  guard block.suffix(16).allSatisfy({ $0 == 0 }) else { return nil }
  return (block.lastIndex { $0 != 0 } ?? -1) + 1
}

func areZeros(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy { $0 == 0 } }

func checkHeader(_ bytes: UnsafeRawBufferPointer, index: UInt32) -> Result<BlockHeader, BlockFault> {
  do throws(CoreError) {
    let header = try BlockHeader(bytes)
    return header.index == index ? .success(header) : .failure(.badIndex)
  } catch {
    guard case .badBlock(let fault) = error else { return .failure(.badMagic) }
    return .failure(fault)
  }
}

extension BlockFault: Error {}

/// Throws `badBlock` unless the bytes are a single block for this position. The last possible index is never used.
func checkBlock(_ bytes: [UInt8], of chain: BranchID, index: UInt32) throws(ContainerError) {
  switch bytes.withUnsafeBytes({ checkHeader($0, index: index) }) {
  case .failure(let fault): throw .badBlock(chain, index: index, fault)
  case .success(let header):
    guard header.blockSize == bytes.count else { throw .badBlock(chain, index: index, .badSize) }
    guard index < UInt32.max else { throw .badBlock(chain, index: index, .badIndex) }
  }
}

import SeaContainer
import SeaCore

/// Cuts the bytes of a bundle's member, as they come, into the blocks that they are.
struct BlockSplitter {
  private var start: [UInt8] = []
  /// What the block that `start` begins has in all; nil before its header is there.
  private var size: Int?

  /// Hands over every block that is complete now, until `body` returns false.
  /// - Returns: false if `body` did, or if what follows is no block.
  mutating func add(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws(any Error) -> Bool {
    var rest = piece
    while !rest.isEmpty {
      if start.isEmpty, let whole = try? BlockHeader(rest).blockSize, whole <= rest.count {
        // It need not be copied.
        guard try body(UnsafeRawBufferPointer(rebasing: rest[..<whole])) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[whole...])
        continue
      }
      let want = (size ?? BlockHeader.size) - start.count
      let taken = UnsafeRawBufferPointer(rebasing: rest.prefix(want))
      start.append(contentsOf: taken)
      rest = UnsafeRawBufferPointer(rebasing: rest[taken.count...])
      if size == nil, start.count == BlockHeader.size {
        guard let header = try? start.withUnsafeBytes({ try BlockHeader($0) }) else { return false }
        size = header.blockSize
      }
      guard start.count == size else { continue }
      let isWanted = try start.withUnsafeBytes(body)
      start.removeAll(keepingCapacity: true)
      size = nil
      guard isWanted else { return false }
    }
    return true
  }

  /// Whether the bytes so far are whole blocks.
  var isAtEnd: Bool { start.isEmpty }
}

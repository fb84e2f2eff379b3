import SeaContainer
import SeaCore

/// Splits a file inside a bundle into blocks while its bytes arrive.
struct BlockSplitter {
  private var start: [UInt8] = []
  /// The size of the block that begins with `start`; nil until the block's header is complete.
  private var size: Int?

  /// Passes every complete block to `body` until `body` returns false.
  /// - Returns: false if `body` returned false, or if the data is not a block.
  mutating func add(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws(any Error) -> Bool {
    var rest = piece
    while !rest.isEmpty {
      if start.isEmpty, let whole = try? BlockHeader(rest).blockSize, whole <= rest.count {
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

  var isAtEnd: Bool { start.isEmpty }
}

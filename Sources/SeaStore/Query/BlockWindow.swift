import SeaCore

/// The most recently read part of a block. Records that arrived together are in the same block.
final class BlockWindow {
  private let content: StoredBytes
  private let statement: Statement
  @exclusivity(unchecked) private var piece: Int64 = -1
  @exclusivity(unchecked) private var isThere = false
  @exclusivity(unchecked) private var frame: (block: Int64, content: [UInt8], start: Int) = (-1, [], 0)

  init(_ content: StoredBytes) throws(StoreError) {
    self.content = content
    statement = try Statement(content.connection, "SELECT bytes FROM piece WHERE key = ?" as String)
  }

  /// Returns bytes of the decrypted block, valid until the next call. Returns nil if the bytes are not contiguous.
  func bytes(_ block: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> UnsafeBufferPointer<UInt8>? {
    guard offset >= 0, length >= 0 else { throw .damaged("piece") }
    if frame.block == block, offset >= frame.start, offset + length <= frame.start + frame.content.count {
      return inFrame(offset, length)
    }
    let from = offset % Schema.pieceSize
    let wanted = block << 16 + Int64(offset / Schema.pieceSize)
    if wanted != piece {
      statement.reset()
      statement.bind(1, wanted as Int64?)
      piece = -1
      isThere = try statement.step()
      piece = wanted
    }
    guard isThere else {
      guard let found = try content.frame(sequence: block, at: offset) else { return nil }
      frame = (block, found.content, found.start)
      return offset + length <= found.start + found.content.count ? inFrame(offset, length) : nil
    }
    guard from + length <= Schema.pieceSize else { return nil }
    let bytes = statement.text(at: 0)
    guard from + length <= bytes.count else { throw .damaged("piece \(block)") }
    return UnsafeBufferPointer(rebasing: bytes[from..<from + length])
  }

  private func inFrame(_ offset: Int, _ length: Int) -> UnsafeBufferPointer<UInt8> {
    // The array does not change until another frame is decompressed.
    frame.content.withUnsafeBufferPointer {
      UnsafeBufferPointer(start: $0.baseAddress! + (offset - frame.start), count: length)
    }
  }
}

import SeaCore

/// Goes along the blocks of a member by the sizes in their headers. Nothing else of them is looked at.
struct BlockWalk {
  private var left: Int
  private var header: [UInt8] = []
  private var skipping: Int64 = 0
  private var isBroken = false

  /// - Parameter count: blocks that the member has to have.
  init(count: Int) { left = count }

  /// The blocks are there, whole, and nothing else is.
  var isWhole: Bool { left == 0 && skipping == 0 && header.isEmpty && !isBroken }

  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count, !isBroken {
      if skipping > 0 {
        let count = min(skipping, Int64(bytes.count - position))
        skipping -= count
        position += Int(count)
        continue
      }
      guard left > 0 else {
        isBroken = true
        return
      }
      let count = min(8 - header.count, bytes.count - position)
      header.append(contentsOf: bytes[position..<position + count])
      position += count
      guard header.count == 8 else { return }
      isBroken = header[0] != 0x53 || header[1] != 0x45 || header[2] != 0x41
      let size = header[4...].reduce(0) { $0 << 8 | Int64($1) }
      skipping = Int64(BlockHeader.size) - 8 + size
      header.removeAll(keepingCapacity: true)
      left -= 1
    }
  }
}

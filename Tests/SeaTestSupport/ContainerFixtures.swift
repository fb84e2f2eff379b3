import SeaContainer
import SeaCore
import SeaSystem

/// Blocks that hang together only by their index: all that a container looks at.
package enum TestBlock {
  package static func make(_ index: UInt32, payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: BlockHeader.size + payload.count)
    BlockHeader(
      mode: index == 0 ? [.signed, .control] : .signed, payloadSize: UInt32(payload.count), index: index,
      lamport: index,
      previous: .zero,
      data: SHA256.hash(payload)
    ).write(into: &writer)
    writer.append(payload)
    return writer.array()
  }

  /// A small block whose length and bytes depend on its index.
  package static func make(_ index: UInt32) -> [UInt8] {
    let filling = [UInt8](repeating: UInt8(1 + index % 251), count: Int(index % 37))
    return make(index, payload: Array("block \(index) ".utf8) + filling)
  }

  /// What `writeBlocks` takes: the blocks of a range in turn.
  package static func source(_ range: Range<UInt32>) -> () -> [UInt8]? {
    var next = range.lowerBound
    return {
      guard next < range.upperBound else { return nil }
      defer { next += 1 }
      return make(next)
    }
  }
}

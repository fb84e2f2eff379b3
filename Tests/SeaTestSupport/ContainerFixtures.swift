import SeaContainer
import SeaCore
import SeaSystem

/// Test blocks that are linked only by their index, which is all that a container checks.
package enum TestBlock {
  /// Returns a block that is valid except for its content and signature.
  package static func make(_ index: UInt32, content: [UInt8], lamport: UInt32? = nil) -> [UInt8] {
    let header = BlockHeader(
      mode: index == 0 ? [.signed, .control] : .signed, payloadSize: UInt32(content.count + Payload.signatureSize),
      index: index, lamport: lamport ?? index, previous: .zero, data: .zero)
    return resealed(header.encoded() + content + [UInt8](repeating: 0x55, count: Payload.signatureSize))
  }

  /// Returns a small block whose length and bytes depend on its index.
  package static func make(_ index: UInt32) -> [UInt8] {
    let filling = [UInt8](repeating: UInt8(1 + index % 251), count: Int(index % 37))
    return make(index, content: Array("block \(index) ".utf8) + filling)
  }

  /// Returns a source for `writeBlocks` that yields the blocks of a range in turn.
  package static func source(_ range: Range<UInt32>) -> () -> [UInt8]? {
    var next = range.lowerBound
    return {
      guard next < range.upperBound else { return nil }
      defer { next += 1 }
      return make(next)
    }
  }
}

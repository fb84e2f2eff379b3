import SeaContainer

extension Container {
  /// The smallest index that the container names for a chain: 0, but of a fork's branch where it leaves the trunk.
  func firstIndex(of chain: ChainName) throws -> UInt32? {
    guard let last = try lastIndex(of: chain) else { return nil }
    if chain.fork == nil { return 0 }
    return try (0...last).first { try has(chain, $0) }
  }

  /// Hands over a chain from its first block on; before the blocks of a fork's branch those of the trunk.
  func readChain(
    _ chain: ChainName, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    guard let first = try firstIndex(of: chain) else { return .end(next: 0) }
    if first > 0 {
      let end = try readBlocks(of: ChainName(chain.instance), from: 0) { index, bytes in
        guard index < first else { return false }
        return try body(index, bytes)
      }
      guard end == .stopped(next: first) || end == .end(next: first) else { return end }
    }
    return try readBlocks(of: chain, from: first, body)
  }
}

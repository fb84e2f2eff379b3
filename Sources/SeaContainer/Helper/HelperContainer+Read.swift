import SeaCore
import SeaSystem

extension HelperContainer {
  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    var next = index
    var end = try reading(of: chain).run(from: index) { index, bytes in
      guard try body(index, bytes) else { return false }
      next = index + 1
      return true
    }
    switch end {
    case .end, .stopped: break
    case .gap, .incomplete, .damaged:
      // What was listed may be older than what others have folded, emptied or brought since.
      try lookAgain(at: chain)
      end = try reading(of: chain).run(from: next, body)
    }
    return end
  }

  /// - Parameters:
  ///   - folded: whether what folded files have is handed over.
  ///   - singles: whether what files of single blocks have is.
  func reading(of chain: BranchID, folded: Bool = true, singles: Bool = true) -> ChainReading {
    let window = BlockWindow()
    let (ahead, leaves) = (SinglesAhead(self, chain), FoldedAhead(self, chain))
    return ChainReading(
      open: { leaf, index throws(ContainerError) in
        if let index { return singles ? try ahead.open(leaf, index, window) : nil }
        return folded ? try leaves.open(leaf, window) : nil
      }, last: { () throws(ContainerError) in try self.lastIndex(of: chain) })
  }

  // MARK: Files without a place

  private func stray(_ path: String) throws(ContainerError) -> BlockFile? {
    guard WirePath.isPath(path), let entry = try names()[HelperNames.Meaning(path)] else { return nil }
    return BlockFile(FarBytes(self, path, size: entry.size), size: Int(clamping: entry.size), window: BlockWindow())
  }

  package func readStray(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    guard var file = try stray(path) else { return }
    while let bytes = try file.nextWhole() { guard try body(bytes) else { return } }
  }

  package func removeStray(_ path: String) throws(ContainerError) {
    guard WirePath.isPath(path) else { return }
    try delete(HelperNames.Meaning(path))
    try flush()
  }

  package func setAside(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError) {
    try setAside(folded ? .folded(chain, Layout.Leaf(containing: index).first) : .block(chain, index))
  }

  package func setAside(_ place: AssetPlace) throws(ContainerError) { try setAside(.asset(place)) }

  func setAside(_ place: HelperNames.Meaning) throws(ContainerError) {
    let mark = try system { () throws(SystemError) in try Random.bytes(4) }
    let other = Layout.aside(place.path, Hex.text(mark))
    let entry = try names()[place]
    guard try call(.move(place.path, to: other)) != nil else { return note(place, nil) }
    note(place, nil)
    note(.other(other), entry)
    try flush()
  }
}

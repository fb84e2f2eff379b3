import SeaCore

/// Reads the blocks of a chain in order, regardless of where its files are stored.
package struct ChainReading {
  /// Opens the file of a block, or the pack file of a leaf. Returns nil if the file is missing.
  let open: (Layout.Leaf, UInt32?) throws(ContainerError) -> BlockFile?
  /// Returns the greatest index for which an entry exists, even if the entry is not a file.
  let last: () throws(ContainerError) -> UInt32?

  private enum LeafEnd {
    case whole
    case missing
    case other(ReadEnd)
  }

  func run(from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool) throws -> ReadEnd {
    var index = index
    var lookedAgain: UInt32?
    while index < UInt32.max {
      switch try readLeaf(from: &index, body) {
      case .whole: continue
      case .other(let end): return end
      case .missing:
        guard let last = try last(), last >= index else { return .end(next: index) }
        // A writer may have added the block in the meantime, so only a block that is missing twice counts as a gap.
        if lookedAgain == index { return .gap(index: index, later: last) }
        lookedAgain = index
      }
    }
    return .end(next: index)
  }

  /// Passes the blocks of one leaf folder to `body`, starting at `index`. The blocks come from the pack file, or from
  /// single files if the pack file is missing or damaged.
  private func readLeaf(
    from index: inout UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> LeafEnd {
    let leaf = Layout.Leaf(containing: index)
    var trouble: ReadEnd?
    var folded = try open(leaf, nil)
    if folded != nil {
      trouble = try readFolded(leaf, &folded, &index, body)
      if case .stopped = trouble { return .other(trouble!) }
    }
    while Layout.Leaf(containing: index) == leaf, index < UInt32.max {
      if var file = try open(leaf, index) {
        switch try file.next(index) {
        case .block(let bytes):
          guard file.isAtEnd else { return .other(.damaged(index: index, .badSize)) }
          guard try body(index, bytes) else { return .other(.stopped(next: index)) }
          index += 1
          continue
        case .end: return .other(.incomplete(index: index, have: 0, want: BlockHeader.size))
        case .incomplete(let have, let want):
          if have > 0, file.size > want { return .other(.damaged(index: index, .badSize)) }
          return .other(.incomplete(index: index, have: have, want: want))
        case .damaged(let fault): return .other(.damaged(index: index, fault))
        }
      }
      if let trouble { return .other(trouble.at(index)) }
      // The folder may have been packed while it was being read.
      folded = try open(leaf, nil)
      guard folded != nil else { return .missing }
      trouble = try readFolded(leaf, &folded, &index, body)
      if case .stopped = trouble { return .other(trouble!) }
    }
    return .whole
  }

  /// Returns nil if the last block of the leaf was read from the file.
  private func readFolded(
    _ leaf: Layout.Leaf, _ folded: inout BlockFile?, _ index: inout UInt32,
    _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd? {
    guard var file = folded else { return nil }
    for place in leaf.first...leaf.last {
      switch place < index ? try file.skip(place) : try file.next(place) {
      case .block(let bytes):
        if place == leaf.last, !file.isAtEnd { return .damaged(index: place, .badSize) }
        guard place >= index else { continue }
        guard try body(place, bytes) else { return .stopped(next: place) }
        index = place + 1
      // A pack file must contain all blocks of its folder.
      case .end: return .incomplete(index: place, have: 0, want: BlockHeader.size)
      case .incomplete(let have, let want): return .incomplete(index: place, have: have, want: want)
      case .damaged(let fault): return .damaged(index: place, fault)
      }
    }
    return nil
  }
}

extension ReadEnd {
  fileprivate func at(_ index: UInt32) -> ReadEnd {
    switch self {
    case .incomplete(_, let have, let want): .incomplete(index: index, have: have, want: want)
    case .damaged(_, let fault): .damaged(index: index, fault)
    default: self
    }
  }
}

import SeaCore

/// The newest blocks in a place, and the number of blocks left out. The amount of data is limited.
package struct NewestBlocks {
  /// The chains with the newest blocks; `moreChains` counts the others.
  package private(set) var chains: [InspectedChain] = []
  package private(set) var moreChains = 0
  /// The blocks of these chains, in order of Lamport time.
  package private(set) var blocks: [InspectedBlock] = []
  package private(set) var moreBlocks = 0
  package private(set) var problems: [Problem] = []

  /// - Parameters:
  ///   - only: the branch whose blocks are read; nil for all.
  ///   - most: the maximum number of blocks.
  ///   - mostChains: the maximum number of chains.
  ///   - check: called for each block; throws if the work should stop.
  package init(
    _ place: any InspectedPlace, of only: BranchID? = nil, most: Int = 400, mostChains: Int = 60,
    check: @escaping () throws -> Void = {}
  ) throws {
    let all = try place.chains()
    let wanted = all.filter { only == nil || $0.branch == only }
    let newest = wanted.sorted { ($0.ended ?? .min, $1.branch) > ($1.ended ?? .min, $0.branch) }
    chains = Array(newest.prefix(mostChains)).sorted { $0.branch < $1.branch }
    moreChains = wanted.count - chains.count
    let shown = Set(chains.map(\.branch))
    var kept: [InspectedBlock] = []
    problems = try place.forEachBlock(of: only, newest: most) { block, _ in
      try check()
      guard shown.contains(block.ref.branch) else { return }
      kept.append(block)
      if kept.count >= 2 * most { kept = NewestBlocks.newest(of: kept, most) }
    }
    blocks = NewestBlocks.newest(of: kept, most)
    moreBlocks = max(0, chains.reduce(0) { $0 + $1.count } - blocks.count)
  }

  /// Sorts by Lamport time, because it is the same on all instances.
  private static func newest(of blocks: [InspectedBlock], _ most: Int) -> [InspectedBlock] {
    let sorted = blocks.sorted { x, y in
      (x.header.lamport, x.ref.branch, x.ref.index) < (y.header.lamport, y.ref.branch, y.ref.index)
    }
    return Array(sorted.suffix(most))
  }
}

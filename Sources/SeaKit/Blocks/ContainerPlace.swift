import SeaContainer
import SeaCore

/// A container as a place of blocks, as it is when its names are first looked at.
final class ContainerPlace: BlockPlace {
  let container: Container
  /// What it is called in problems.
  let name: String
  private var listing: ChainListing?
  private var names: [UUID: [BranchID]] = [:]
  private var known: [UUID: [BlockRun]] = [:]

  init(_ container: Container, named name: String) {
    self.container = container
    self.name = name
  }

  /// The branches and what lies beside them.
  func chains() throws -> ChainListing {
    if let listing { return listing }
    let listing = try container.chains()
    self.listing = listing
    names = Dictionary(grouping: listing.chains, by: \.instance)
    return listing
  }

  func branches(of instance: UUID) throws -> [BlockRun] {
    if let known = known[instance] { return known }
    _ = try chains()
    let runs = try (names[instance] ?? []).compactMap { try run(of: $0) }
    known[instance] = runs
    return runs
  }

  /// All branches.
  func branches() throws -> [BlockRun] {
    var instances: [UUID] = []
    for branch in try chains().chains where instances.last != branch.instance { instances.append(branch.instance) }
    return try instances.flatMap { try branches(of: $0) }
  }

  /// What the container names of a branch; nil if it is empty.
  func run(of branch: BranchID) throws -> BlockRun? {
    guard let last = try container.lastIndex(of: branch) else { return nil }
    return BlockRun(branch, first: try first(of: branch, last), last: last)
  }

  /// The smallest index that is named: 0, but of a sibling branch where it leaves another one.
  private func first(of branch: BranchID, _ last: UInt32) throws -> UInt32 {
    if branch.isTrunk { return 0 }
    // Where the last run of blocks begins: mostly there is one.
    var low: UInt32 = 0
    var high = last
    while low < high {
      let middle = low + (high - low) / 2
      if try container.has(branch, middle) { high = middle } else { low = middle + 1 }
    }
    if let link = try link(branch, high), BranchID(branch.instance, forkedAt: link.digest) == branch { return high }
    return try container.firstIndex(of: branch) ?? last
  }

  func link(_ branch: BranchID, _ index: UInt32) throws -> BlockLink? {
    var found: BlockLink?
    _ = try container.readBlocks(of: branch, from: index) { _, bytes in
      if let header = try? BlockHeader(bytes), header.blockSize == bytes.count {
        found = BlockLink(digest: header.digest(of: bytes), previous: header.previous)
      }
      return false
    }
    return found
  }

  func branch(of block: BlockRef) throws -> BranchID? {
    for run in try branches(of: block.instance) where run.first <= block.index && block.index <= run.last {
      if try link(run.branch, block.index)?.digest == block.digest { return run.branch }
    }
    return nil
  }

  /// Notes that a branch has grown or begun by what was written into it.
  func note(_ branch: BranchID, first: UInt32, last: UInt32) {
    var runs = known[branch.instance] ?? []
    if let at = runs.firstIndex(where: { $0.branch == branch }) {
      runs[at].last = max(runs[at].last, last)
    } else {
      runs.append(BlockRun(branch, first: first, last: last))
    }
    known[branch.instance] = runs
  }

  /// The first index of a branch that is not there: mostly the next one.
  ///
  /// The names of one leaf folder become durable together, so that after a loss of power an earlier one may be lost and
  /// a later one kept. Folders before it were whole before this one was begun.
  func firstMissing(of run: BlockRun) throws -> UInt32 {
    let leaf = Layout.Leaf(containing: run.last)
    for index in max(leaf.first, run.first)..<run.last where try !container.has(run.branch, index) { return index }
    return run.last + 1
  }

  /// The last block of a branch if it is whole, else a whole one that is followed by one that is not: without gaps the last whole
  /// one. Nil if the first is not whole. Not every index is tried: anybody can write a far name.
  func lastWhole(of run: BlockRun) throws -> (index: UInt32, link: BlockLink)? {
    if let link = try link(run.branch, run.last) { return (run.last, link) }
    guard run.first < run.last, var found = try link(run.branch, run.first) else { return nil }
    var (low, high) = (run.first, run.last)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let link = try link(run.branch, middle) { (low, found) = (middle, link) } else { high = middle }
    }
    return (low, found)
  }

  /// From block 0 on, what leads to the end of a branch: the branches, and how far along each of them.
  func path(to run: BlockRun) throws -> [BlockRun] {
    guard run.first > 0 else { return [run] }
    let before = run.first - 1
    let previous = try link(run.branch, run.first)?.previous
    var parent = try branches(of: run.branch.instance).first { other in
      try other.branch != run.branch && other.first <= before && before <= other.last
        && previous != nil && link(other.branch, before)?.digest == previous
    }
    // What it left is not here: it is held against the trunk, which it does not follow.
    if parent == nil { parent = try branches(of: run.branch.instance).first { $0.branch.isTrunk } }
    guard var parent else { return [run] }
    parent.last = before
    return try path(to: parent) + [run]
  }

  /// Hands over a branch from its first block on; before the blocks of a sibling branch those that lead to it.
  func readChain(_ run: BlockRun, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool) throws -> ReadEnd {
    let path = try path(to: run)
    guard path[0].first == 0 else { return .gap(index: 0, later: run.last) }
    for step in path {
      guard step.branch != run.branch else { return try container.readBlocks(of: step.branch, from: step.first, body) }
      let end = try container.readBlocks(of: step.branch, from: step.first) { index, bytes in
        guard index <= step.last else { return false }
        return try body(index, bytes)
      }
      if end == .end(next: step.last + 1) || end == .stopped(next: step.last + 1) { continue }
      if case .end(let next) = end { return .gap(index: next, later: run.last) }
      return end
    }
    return .end(next: 0)
  }
}

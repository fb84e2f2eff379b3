import SeaContainer
import SeaCore

/// The blocks in a container. File names are read only once, when they are first needed.
final class ContainerPlace: BlockPlace {
  let container: Container
  let name: String
  private var listing: ChainListing?
  private var names: [UUID: [BranchID]] = [:]
  private var promised: Set<BranchID> = []
  private var known: [UUID: Runs] = [:]

  init(_ container: Container, named name: String) {
    self.container = container
    self.name = name
  }

  func chains() throws -> ChainListing {
    if let listing { return listing }
    let listing = try container.chains()
    self.listing = listing
    names = Dictionary(grouping: listing.chains, by: \.instance)
    promised = Set(listing.foreign.lazy.compactMap { Layout.promised(by: $0) }.compactMap { BranchID($0) })
    return listing
  }

  func isPromised(_ branch: BranchID) throws -> Bool { try chains().isPromised || promised.contains(branch) }

  func names(of instance: UUID) throws -> [BranchID] {
    _ = try chains()
    return names[instance] ?? []
  }

  func branches(of instance: UUID) throws -> [BlockRun] { try runs(of: instance).all }

  func end(of instance: UUID) throws -> UInt32? { try runs(of: instance).last }

  private func runs(of instance: UUID) throws -> Runs {
    if let known = known[instance] { return known }
    _ = try chains()
    var runs = Runs()
    for run in try (names[instance] ?? []).compactMap({ try run(of: $0) }) { runs.add(run) }
    known[instance] = runs
    return runs
  }

  /// Sorts branches so that each branch comes after the one it forked from: first the main branches, then the fork
  /// branches by first index.
  func inOrder(_ branches: [BranchID]) throws -> [BranchID] {
    let siblings = try branches.filter { !$0.isMainBranch }.map { branch in
      (branch, try runs(of: branch.instance)[branch]?.first ?? 0)
    }
    return branches.filter(\.isMainBranch) + siblings.sorted { $0.1 < $1.1 }.map(\.0)
  }

  func branches() throws -> [BlockRun] {
    var instances: [UUID] = []
    for branch in try chains().chains where instances.last != branch.instance { instances.append(branch.instance) }
    return try instances.flatMap { try branches(of: $0) }
  }

  /// Returns the indexes of a branch according to file names; nil if the branch is empty.
  func run(of branch: BranchID) throws -> BlockRun? {
    guard let last = try container.lastIndex(of: branch) else { return nil }
    return BlockRun(branch, first: try first(of: branch, last), last: last)
  }

  /// Returns the first index according to file names. For a fork branch, this is the index where the fork begins.
  private func first(of branch: BranchID, _ last: UInt32) throws -> UInt32 {
    if branch.isMainBranch { return 0 }
    // This search finds the start of the last run of adjacent blocks; usually, there is only one run.
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
    _ = try ifReadable {
      found = nil
      return try container.readBlocks(of: branch, from: index) { _, bytes in
        if let header = try? BlockHeader(bytes), let digest = header.hash(ofIntact: bytes) {
          found = BlockLink(digest: digest, previous: header.previous)
        }
        return false
      }
    }
    return found
  }

  func branch(of block: BlockRef) throws -> BranchID? {
    let runs = try runs(of: block.instance)
    // The name of a fork branch identifies its first block.
    for name in [block.branch.mainBranch, BranchID(block.instance, forkedAt: block.digest)] {
      guard let run = runs[name], run.first <= block.index, block.index <= run.last else { continue }
      if try link(name, block.index)?.digest == block.digest { return name }
    }
    for branch in known[block.instance]?.unreadBranches(at: block.index) ?? [] {
      guard let digest = try link(branch, block.index)?.digest else { continue }
      known[block.instance]?.found(digest, in: branch, at: block.index)
    }
    return known[block.instance]?.branch(of: block)
  }

  /// Records that this process has begun or extended a branch.
  func add(_ branch: BranchID, first: UInt32, last: UInt32) {
    known[branch.instance, default: Runs()].add(BlockRun(branch, first: first, last: last))
  }

  /// Returns the last block of a branch if it is complete. Otherwise, returns a complete block that precedes a damaged
  /// or missing block; nil if the first block is not complete. Does not try every index, because a forged file name can
  /// claim a very large index.
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

  /// Returns the branches of an instance. Each branch comes after the branch it forked from.
  func runsInOrder(of instance: UUID) throws -> [BlockRun] {
    try branches(of: instance).enumerated().sorted {
      let (x, y) = ($0.element, $1.element)
      return (x.branch.isMainBranch ? 0 : 1, x.first, $0.offset) < (y.branch.isMainBranch ? 0 : 1, y.first, $1.offset)
    }.map(\.element)
  }
}

private struct Runs {
  private(set) var all: [BlockRun] = []
  private(set) var last: UInt32?
  private var places: [BranchID: Int] = [:]
  /// For each index, the known blocks of fork branches that began earlier, and the branches that have not been read
  /// yet.
  private var looks: [UInt32: Look] = [:]

  private struct Look {
    var known: [Digest: BranchID] = [:]
    var open: [BranchID] = []
  }

  subscript(branch: BranchID) -> BlockRun? { places[branch].map { all[$0] } }

  mutating func add(_ run: BlockRun) {
    last = max(last ?? 0, run.last)
    var new = run.first...max(run.first, run.last)
    if let at = places[run.branch] {
      guard run.last > all[at].last else { return }
      new = all[at].last...run.last
      all[at].last = run.last
    } else {
      places[run.branch] = all.count
      all.append(run)
    }
    if run.branch.isMainBranch || looks.isEmpty { return }
    // The branch's name identifies its first block, or the first block has already been read.
    if new.count < looks.count {
      for index in new.dropFirst() { looks[index]?.open.append(run.branch) }
    } else {
      for index in looks.keys where index > new.lowerBound && index <= new.upperBound {
        looks[index]?.open.append(run.branch)
      }
    }
  }

  /// Returns the fork branches whose block at an index has not been read yet, except for branches that begin at this
  /// index.
  mutating func unreadBranches(at index: UInt32) -> [BranchID] {
    var look =
      looks[index]
      ?? Look(open: all.filter { !$0.branch.isMainBranch && $0.first < index && index <= $0.last }.map(\.branch))
    defer { looks[index] = look }
    let open = look.open
    look.open = []
    return open
  }

  mutating func found(_ digest: Digest, in branch: BranchID, at index: UInt32) { looks[index]?.known[digest] = branch }

  func branch(of block: BlockRef) -> BranchID? { looks[block.index]?.known[block.digest] }
}

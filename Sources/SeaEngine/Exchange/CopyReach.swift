import SeaContainer
import SeaCore

/// Finds where copying has to begin, without comparing every branch in the container with every branch in the source.
struct CopyReach {
  private let source: GoodBlocks
  /// For each branch in the source, the last index that the container has, and the branch of the container that has it.
  private var covered: [BranchID: (last: UInt32, branch: BranchCopy)] = [:]
  /// Maps last blocks to branches in the container. Blocks have the source's branch names.
  private var ends: [BlockRef: [BranchCopy]] = [:]
  private var bases: [BranchID: BlockRef?] = [:]

  init(_ source: GoodBlocks) { self.source = source }

  private mutating func base(of branch: BranchID) throws -> BlockRef? {
    if let known = bases[branch] { return known }
    let base = try source.base(of: branch)
    bases[branch] = .some(base)
    return base
  }

  /// Records the new tip of a branch in the container. A tip never moves back.
  mutating func move(_ branch: BranchCopy, from old: BlockRef?, to tip: BlockRef) throws {
    if let old { ends[old]?.removeAll { $0 === branch } }
    ends[tip, default: []].append(branch)
    var next: BlockRef? = tip
    while let now = next {
      let known = covered[now.branch]
      if known.map({ $0.last < now.index }) ?? true { covered[now.branch] = (now.index, branch) }
      // The base branches have been recorded along with the first tip.
      next = known == nil ? try base(of: now.branch) : nil
    }
  }

  /// Returns the branch in the container that has the most of the blocks leading to a head, and the last common index.
  /// Prefers the first branch that ends at this index.
  mutating func best(to head: BlockRef) throws -> (branch: BranchCopy, common: UInt32)? {
    var next: BlockRef? = head
    while let now = next {
      guard let known = covered[now.branch] else {
        next = try base(of: now.branch)
        continue
      }
      let common = min(known.last, now.index)
      guard let end = try source.ancestor(of: now, at: common) else { return nil }
      return (ends[end]?.min { $0.order < $1.order } ?? known.branch, common)
    }
    return nil
  }
}

/// The index at which each fork branch of the source begins.
struct CopyStarts {
  private let source: GoodBlocks
  private let instance: UUID
  private var known: [BranchID: Set<UInt32>]?

  init(_ source: GoodBlocks, _ instance: UUID) { (self.source, self.instance) = (source, instance) }

  mutating func of(_ branch: BranchID) throws -> [UInt32] {
    let all = try known ?? find()
    known = all
    return (all[branch] ?? []).sorted()
  }

  private func find() throws -> [BranchID: Set<UInt32>] {
    var found: [BranchID: Set<UInt32>] = [:]
    for ours in try source.branches(of: instance) where ours.run.first > 0 {
      let index = ours.run.first
      var blocks = [try source.outlines(BlockRun(ours.run.branch, first: index, last: index)).first]
      // The branch that this one forked from has a different block at this index.
      if let base = try source.base(of: ours.run.branch) {
        blocks.append(try source.outlines(BlockRun(base.branch, first: index, last: index)).first)
      }
      for block in blocks.compactMap({ $0 }) {
        found[BranchID(instance, forkedAt: block.digest), default: []].insert(index)
      }
    }
    return found
  }
}

struct ContainerRuns {
  private var runs: [BranchID: [ClosedRange<UInt32>]] = [:]
  private var new: [BranchID: [ClosedRange<UInt32>]] = [:]

  mutating func add(_ way: [BlockRun]) { for run in way { new[run.branch, default: []].append(run.first...run.last) } }

  /// Returns the last index, no greater than `index`, at which the container has a block of the branch.
  mutating func last(of branch: BranchID, upTo index: UInt32) -> UInt32? {
    if let more = new.removeValue(forKey: branch) {
      var all: [ClosedRange<UInt32>] = []
      for run in ((runs[branch] ?? []) + more).sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = all.last, run.lowerBound <= last.upperBound || run.lowerBound == last.upperBound + 1 {
          all[all.count - 1] = last.lowerBound...max(last.upperBound, run.upperBound)
        } else {
          all.append(run)
        }
      }
      runs[branch] = all
    }
    let all = runs[branch] ?? []
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? min(all[low - 1].upperBound, index) : nil
  }
}

import SeaContainer
import SeaCore

extension ChainCopy {
  /// Sees to it that what the branches of the container leave stands in the container too, back to block 0: who knows nothing of the
  /// chain can read no branch whose beginning is gone.
  mutating func putBases() throws {
    let siblings = theres.indices.filter { !theres[$0].branch.isTrunk && theres[$0].tip != nil && !theres[$0].waits }
    guard !siblings.isEmpty else { return }
    var there = RunsThere()
    var firsts: [Int: UInt32] = [:]
    for at in theres.indices {
      guard let tip = theres[at].tip else { continue }
      let first = try first(of: theres[at])
      firsts[at] = first
      try there.add(source.way(to: tip, from: first))
    }
    for at in siblings {
      guard let tip = theres[at].tip, let first = firsts[at], first > 0,
        let base = try source.ancestor(of: tip, at: first - 1),
        there.last(of: base.branch, upTo: base.index) != base.index
      else { continue }
      var start: UInt32 = 0
      for run in try source.way(to: base, from: 0).reversed() {
        guard let last = there.last(of: run.branch, upTo: run.last), last >= run.first else { continue }
        start = last + 1
        break
      }
      guard let missing = try source.ancestor(of: base, at: start) else { continue }
      // Where nothing of it is there, not even the first block, it is the trunk that is gone.
      let to = self.there(start == 0 ? BranchID(instance) : BranchID(instance, forkedAt: missing.digest))
      guard mayHeal(theres[to], start) else {
        waits(to, start, .absent)
        continue
      }
      if start > 0, theres[to].tip == nil { try move(to, to: source.ancestor(of: base, at: start - 1)) }
      let lacking = GoodBranch(run: BlockRun(base.branch, first: start, last: base.index), head: base)
      try write(lacking, from: start, into: to)
      try there.add(source.way(to: base, from: start))
    }
  }
}

/// Which blocks a container has, by the branches of the source.
private struct RunsThere {
  /// In order, and none touches another.
  private var runs: [BranchID: [ClosedRange<UInt32>]] = [:]
  private var new: [BranchID: [ClosedRange<UInt32>]] = [:]

  mutating func add(_ way: [BlockRun]) { for run in way { new[run.branch, default: []].append(run.first...run.last) } }

  /// The last block of a branch that is there, of those up to an index.
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

import SeaCore

/// The branches that were verified, and which of their clocks are wrong: the rule of sea-format(5), Lamport time, on nothing but
/// what was read. A block that was not read is not earned, and neither is what is behind it.
struct ClockSurvey {
  /// A branch from block 0 on.
  struct Branch {
    var digests: [Digest] = []
    var lamports: [UInt32] = []
    var isRead: [Bool] = []
    var heads: [Int: [BlockRef]] = [:]
    var earned = 0
    var wrong: Int?
  }

  private var branches: [BranchID: Branch] = [:]
  private var names: [UUID: [BranchID]] = [:]

  /// The branches that there are.
  var chains: Dictionary<BranchID, Branch>.Keys { branches.keys }
  func branches(of instance: UUID) -> [BranchID] { names[instance] ?? [] }
  /// The hashes of the blocks of a branch, from block 0 on.
  func digests(of name: BranchID) -> [Digest] { branches[name]?.digests ?? [] }

  mutating func add(_ header: BlockHeader, _ digest: Digest, to name: BranchID) {
    if branches[name] == nil { names[name.instance, default: []].append(name) }
    branches[name, default: Branch()].digests.append(digest)
    branches[name]!.lamports.append(header.lamport)
    branches[name]!.isRead.append(false)
  }

  /// What the last block of a branch names.
  mutating func add(_ heads: [BlockRef], to name: BranchID) {
    guard let last = branches[name]?.isRead.indices.last else { return }
    branches[name]!.isRead[last] = true
    if !heads.isEmpty { branches[name]!.heads[last] = heads }
  }

  /// The first block of each branch whose clock does not follow. Every block is looked at once, however chains are interwoven.
  mutating func wrong() -> [(branch: BranchID, index: UInt32)] {
    var waiting: [Digest: [BranchID]] = [:]
    var todo = branches.keys.sorted()
    while let name = todo.popLast() {
      guard var branch = branches[name], branch.wrong == nil else { continue }
      let before = branch.earned
      while branch.earned < branch.digests.count, branch.isRead[branch.earned] {
        let at = branch.earned
        var greatest = at > 0 ? branch.lamports[at - 1] : 0
        var missing: BlockRef?
        for head in branch.heads[at] ?? [] {
          guard let lamport = earnedLamport(of: head) else {
            missing = head
            break
          }
          greatest = max(greatest, lamport)
        }
        if let missing {
          waiting[missing.digest, default: []].append(name)
          break
        }
        guard branch.lamports[at] == LamportClock.next(after: greatest) else {
          branch.wrong = at
          break
        }
        branch.earned += 1
      }
      branches[name] = branch
      for at in before..<branch.earned { todo += waiting.removeValue(forKey: branch.digests[at]) ?? [] }
    }
    return branches.sorted { $0.key < $1.key }.compactMap { name, branch in
      guard let at = branch.wrong else { return nil }
      // What a sibling branch has from the trunk is told of the trunk.
      let trunk = name.isTrunk ? nil : branches[name.trunk]
      if let trunk, at < trunk.digests.count, trunk.digests[at] == branch.digests[at] { return nil }
      return (name, UInt32(at))
    }
  }

  private func earnedLamport(of head: BlockRef) -> UInt32? {
    let at = Int(head.index)
    for name in branches(of: head.instance) {
      guard let branch = branches[name], at < branch.earned, branch.digests[at] == head.digest else { continue }
      return branch.lamports[at]
    }
    return nil
  }
}

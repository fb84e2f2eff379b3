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

    mutating func add(_ header: BlockHeader, _ digest: Digest) {
      digests.append(digest)
      lamports.append(header.lamport)
      isRead.append(false)
    }

    mutating func removeAll(from index: Int) {
      guard index < digests.count else { return }
      digests.removeSubrange(index...)
      lamports.removeSubrange(index...)
      isRead.removeSubrange(index...)
      heads = heads.filter { $0.key < index }
    }

    mutating func add(_ heads: [BlockRef]) {
      guard let last = isRead.indices.last else { return }
      isRead[last] = true
      if !heads.isEmpty { self.heads[last] = heads }
    }
  }

  private var branches: [Branch] = []
  private var places: [BranchID: Int] = [:]
  private var names: [UUID: [BranchID]] = [:]
  /// Of the branch that was met last: blocks come one branch after another.
  private var current: (name: BranchID, place: Int)?

  /// The branches that there are.
  var chains: Dictionary<BranchID, Int>.Keys { places.keys }
  func branches(of instance: UUID) -> [BranchID] { names[instance] ?? [] }
  /// The hashes of the blocks of a branch, from block 0 on.
  func digests(of name: BranchID) -> [Digest] { places[name].map { branches[$0].digests } ?? [] }

  private mutating func place(of name: BranchID) -> Int {
    if let current, current.name == name { return current.place }
    let place = places[name] ?? branches.count
    if place == branches.count {
      branches.append(Branch())
      places[name] = place
      names[name.instance, default: []].append(name)
    }
    current = (name, place)
    return place
  }

  mutating func add(_ header: BlockHeader, _ digest: Digest, to name: BranchID) {
    branches[place(of: name)].add(header, digest)
  }

  /// Forgets the blocks of a branch from an index on.
  mutating func removeAll(of name: BranchID, from index: UInt32) {
    if let place = places[name] { branches[place].removeAll(from: Int(index)) }
  }

  /// What the last block of a branch names.
  mutating func add(_ heads: [BlockRef], to name: BranchID) {
    branches[place(of: name)].add(heads)
  }

  /// The first block of each branch whose clock does not follow. Every block is looked at once, however chains are interwoven.
  mutating func wrong() -> [(branch: BranchID, index: UInt32)] {
    var waiting: [Digest: [BranchID]] = [:]
    var todo = places.keys.sorted()
    while let name = todo.popLast() {
      guard let place = places[name], branches[place].wrong == nil else { continue }
      var branch = branches[place]
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
      branches[place] = branch
      for at in before..<branch.earned { todo += waiting.removeValue(forKey: branch.digests[at]) ?? [] }
    }
    return places.sorted { $0.key < $1.key }.compactMap { name, place in
      let branch = branches[place]
      guard let at = branch.wrong else { return nil }
      // What a sibling branch has from the trunk is told of the trunk.
      let trunk = name.isTrunk ? nil : places[name.trunk].map { branches[$0] }
      if let trunk, at < trunk.digests.count, trunk.digests[at] == branch.digests[at] { return nil }
      return (name, UInt32(at))
    }
  }

  private func earnedLamport(of head: BlockRef) -> UInt32? {
    let at = Int(head.index)
    for name in branches(of: head.instance) {
      guard let place = places[name], at < branches[place].earned, branches[place].digests[at] == head.digest
      else { continue }
      return branches[place].lamports[at]
    }
    return nil
  }
}

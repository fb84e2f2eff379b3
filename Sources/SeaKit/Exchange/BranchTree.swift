import SeaContainer
import SeaCore
import SeaStore

/// The blocks of one instance in one place, as the branches they lie in: the trunk, and what left it or another branch.
///
/// Which of two branches is the trunk may differ between places. So places are held against each other by what the
/// blocks are: from two that are equal on everything is equal downwards, as each block holds the digest of the one
/// before it.
struct BranchTree {
  struct Branch {
    var chain: BranchID
    var first: UInt32
    var last: UInt32
    /// The branch that it left, if that is there; only a branch that begins with block 0 needs none.
    var parent: Int?
  }

  private(set) var branches: [Branch] = []
  /// The digest of a block at a branch's own place; nil for what is not there, or not whole.
  private let read: (BranchID, UInt32) throws -> Digest?

  /// What a container holds, unverified.
  init(_ container: Container, _ instance: UUID, among chains: [BranchID]? = nil) throws {
    read = { try container.identity(of: $0, at: $1)?.digest }
    for chain in try chains ?? container.chains().chains where chain.instance == instance {
      guard let first = try container.firstIndex(of: chain), let last = try container.lastIndex(of: chain) else {
        continue
      }
      branches.append(Branch(chain: chain, first: first, last: last, parent: nil))
    }
    for at in branches.indices where branches[at].first > 0 {
      guard let previous = try container.identity(of: branches[at].chain, at: branches[at].first)?.previous else {
        continue
      }
      try setParent(of: at, previous)
    }
  }

  /// What our own store holds.
  init(_ store: Store, _ instance: UUID) throws {
    read = { try store.blocks.block($0, $1)?.digest }
    for row in try store.blocks.branches(of: instance) {
      branches.append(Branch(chain: row.id, first: row.first, last: row.head.index, parent: nil))
      if row.first > 0 { try setParent(of: branches.count - 1, row.previous) }
    }
  }

  private mutating func setParent(of at: Int, _ previous: Digest) throws {
    let before = branches[at].first - 1
    branches[at].parent = try branches.indices.first { other in
      let branch = branches[other]
      return try other != at && branch.first <= before && before <= branch.last
        && read(branch.chain, before) == previous
    }
  }

  /// The branches, each behind the one that it left.
  var inOrder: [Int] {
    branches.indices.sorted {
      (branches[$0].first, $0) < (branches[$1].first, $1)
    }
  }

  func index(of chain: BranchID) -> Int? { branches.firstIndex { $0.chain == chain } }

  mutating func add(_ branch: Branch) { branches.append(branch) }
  mutating func extend(_ at: Int, to last: UInt32) { branches[at].last = last }

  /// From block 0 on, the branches that lead to the end of one, and how far each of them is gone along.
  func path(to at: Int) -> [(branch: Branch, last: UInt32)] {
    var path: [(branch: Branch, last: UInt32)] = []
    var next: Int? = at
    var last = branches[at].last
    while let one = next {
      path.append((branches[one], last))
      last = branches[one].first &- 1
      next = branches[one].first == 0 ? nil : branches[one].parent
    }
    return path.reversed()
  }

  /// The digest of the block at a place on the way to the end of a branch.
  func digest(at index: UInt32, along at: Int) throws -> Digest? {
    var one = at
    while index < branches[one].first {
      guard let parent = branches[one].parent else { return nil }
      one = parent
    }
    return try read(branches[one].chain, index)
  }

  /// The first block on the way to a branch that is there.
  private func base(of at: Int) -> UInt32 {
    var one = at
    while let parent = branches[one].parent { one = parent }
    return branches[one].first
  }

  /// Where in this place a branch of another one is: its greatest block that is here, and the branch in which that
  /// lies. Nil if not even the first one is.
  func find(_ at: Int, of other: BranchTree) throws -> (branch: Int, index: UInt32)? {
    var best: (branch: Int, index: UInt32)?
    for here in branches.indices {
      guard let common = try lastCommon(here, at, of: other), common >= branches[here].first else { continue }
      if best == nil || common > best!.index { best = (here, common) }
    }
    return best
  }

  private func lastCommon(_ here: Int, _ at: Int, of other: BranchTree) throws -> UInt32? {
    func agree(_ index: UInt32) throws -> Bool {
      guard let digest = try digest(at: index, along: here) else { return false }
      return try other.digest(at: index, along: at) == digest
    }
    var low = max(base(of: here), other.base(of: at))
    var high = min(branches[here].last, other.branches[at].last)
    guard low <= high else { return nil }
    if try agree(high) { return high }
    guard try agree(low) else { return nil }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try agree(middle) { low = middle } else { high = middle }
    }
    return low
  }
}

extension BlockRow {
  /// `INSTANCE/INDEX`, or `INSTANCE~DIGITS/INDEX`.
  package var place: String { ref.description }
}

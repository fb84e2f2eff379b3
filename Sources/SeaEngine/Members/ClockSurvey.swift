import SeaCore

/// The branches that were verified, and what follows for their clocks: the rules of sea-format(5), Lamport time, on nothing but what
/// was read. A block that was not read is not earned, and neither is what is behind it.
struct ClockSurvey {
  /// Where a block is: the number of a branch, and its index.
  struct Spot: Hashable {
    var branch: Int
    var index: Int
  }

  /// The blocks of a branch: from block 0 on, or behind a block of a branch that came before.
  struct Branch {
    var name: BranchID
    var first = 0
    var base: Spot?
    var digests: [Digest] = []
    var lamports: [UInt32] = []
    var isRead: [Bool] = []
    /// By index.
    var heads: [Int: [BlockRef]] = [:]
    /// The indices of the removed blocks.
    var removed: [Int] = []

    var end: Int { first + digests.count }

    func has(_ index: Int, _ digest: Digest) -> Bool {
      index >= first && index < end && digests[index - first] == digest
    }

    mutating func removeAll(from index: Int) {
      guard index < end else { return }
      let rest = max(0, index - first)
      digests.removeSubrange(rest...)
      lamports.removeSubrange(rest...)
      isRead.removeSubrange(rest...)
      heads = heads.filter { $0.key < index }
      removed.removeAll { $0 >= index }
    }
  }

  private(set) var branches: [Branch] = []
  private var places: [BranchID: Int] = [:]
  /// Of blocks in branches that are no trunks: in which.
  private var siblings: [Digest: [Int]] = [:]
  /// Of the branch that was met last: blocks come one branch after another.
  private var current: (name: BranchID, place: Int)?

  /// The branches that there are.
  var chains: Dictionary<BranchID, Int>.Keys { places.keys }
  func branch(_ name: BranchID) -> Branch? { places[name].map { branches[$0] } }
  /// The number of a branch in `branches`.
  func number(of name: BranchID) -> Int? { current?.name == name ? current?.place : places[name] }

  /// The block that a branch has itself at an index.
  func block(_ number: Int, _ index: UInt32) -> BlockRef? {
    let branch = branches[number]
    guard Int(index) >= branch.first, Int(index) < branch.end else { return nil }
    return BlockRef(instance: branch.name.instance, index: index, digest: branch.digests[Int(index) - branch.first])
  }

  /// Where a block is; nil if it is not here.
  func find(_ ref: BlockRef) -> Spot? {
    let index = Int(ref.index)
    if let trunk = places[ref.branch.trunk], branches[trunk].has(index, ref.digest) {
      return Spot(branch: trunk, index: index)
    }
    let number = siblings[ref.digest]?.first {
      branches[$0].name.instance == ref.instance && branches[$0].has(index, ref.digest)
    }
    return number.map { Spot(branch: $0, index: index) }
  }

  func lamport(of ref: BlockRef) -> UInt32? {
    find(ref).map { branches[$0.branch].lamports[$0.index - branches[$0.branch].first] }
  }

  /// The block at an index of a branch, or of what that left, as far as it has come.
  func block(of name: BranchID, at index: UInt32) -> BlockRef? {
    guard var number = places[name], Int(index) < branches[number].end else { return nil }
    while Int(index) < branches[number].first {
      guard let base = branches[number].base else { return nil }
      number = base.branch
    }
    let digest = branches[number].digests[Int(index) - branches[number].first]
    return BlockRef(instance: name.instance, index: index, digest: digest)
  }

  /// Whether a block is on the way to another one, or is that one.
  func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
    guard block.index <= last.index, block.instance == last.instance, var spot = find(last) else { return false }
    while Int(block.index) < branches[spot.branch].first {
      guard let base = branches[spot.branch].base else { return false }
      spot = base
    }
    return branches[spot.branch].has(Int(block.index), block.digest)
  }

  /// The heads that a block names, or one before it: each with the index of the block that names it.
  func heads(upTo block: BlockRef, in name: BranchID) -> [(index: Int, heads: [BlockRef])] {
    var found: [(index: Int, heads: [BlockRef])] = []
    var next = places[name].map { Spot(branch: $0, index: Int(block.index)) }
    while let now = next {
      let branch = branches[now.branch]
      found += branch.heads.filter { $0.key <= now.index }.map { ($0.key, $0.value) }
      next = branch.base
    }
    return found.sorted { $0.index < $1.index }
  }

  /// A branch goes on behind a block of one that came before.
  mutating func begin(_ name: BranchID, behind block: BlockRef) {
    guard places[name] == nil, let base = find(block) else { return }
    let number = place(of: name)
    branches[number].base = base
    branches[number].first = base.index + 1
  }

  private mutating func place(of name: BranchID) -> Int {
    if let current, current.name == name { return current.place }
    let place = places[name] ?? branches.count
    if place == branches.count {
      branches.append(Branch(name: name))
      places[name] = place
    }
    current = (name, place)
    return place
  }

  mutating func add(_ header: BlockHeader, _ digest: Digest, to name: BranchID) {
    let place = place(of: name)
    if header.mode.contains(.removed) { branches[place].removed.append(branches[place].end) }
    if !name.isTrunk { siblings[digest, default: []].append(place) }
    branches[place].digests.append(digest)
    branches[place].lamports.append(header.lamport)
    branches[place].isRead.append(false)
  }

  /// Forgets the blocks of a branch from an index on.
  mutating func removeAll(of name: BranchID, from index: UInt32) {
    guard let place = places[name] else { return }
    if !name.isTrunk {
      for digest in branches[place].digests.dropFirst(max(0, Int(index) - branches[place].first)) {
        siblings[digest]?.removeAll { $0 == place }
      }
    }
    branches[place].removeAll(from: Int(index))
  }

  /// What the last block of a branch names.
  mutating func add(_ heads: [BlockRef], to name: BranchID) {
    let place = place(of: name)
    guard let last = branches[place].isRead.indices.last else { return }
    branches[place].isRead[last] = true
    if !heads.isEmpty { branches[place].heads[branches[place].first + last] = heads }
  }

  /// - Parameter claims: of removed blocks the heads that orders claim.
  func clocks(_ claims: [BlockKey: [BlockRef]] = [:]) -> SurveyedClocks { SurveyedClocks(self, claims) }
}
